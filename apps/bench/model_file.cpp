#include "apps/bench/model_file.hpp"

#include "io/output_file.hpp"
#include "io/read_all.hpp"
#include "model/embedded.hpp"
#include "toktier/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace toktier::bench {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "toktier-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorCode::unavailable, std::strerror(errno), name);
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::add(const std::string& name, std::string_view bytes) const {
  const std::string path = (path_ / name).string();
  io::OutputFile file(path);
  file.write(bytes);
  file.commit();
  return path;
}

std::string plain_model_file(const std::string& file, const TemporaryFolder& folder) {
  if (file == "embedded") {
    return folder.add("tokenizer.json", io::unpack(model::embedded_gpt2(), file));
  }
  if (fs::path(file).extension() != ".zst") return file;
  // Peers know some rank files by their names, so names stay.
  const fs::path source(file);
  const fs::path side = source.parent_path() / "encoding.json";
  for (const fs::path& path : {side, fs::path(side.string() + ".zst")}) {
    if (fs::exists(path)) folder.add("encoding.json", io::read_all(path.string()));
  }
  return folder.add(source.stem().string(), io::read_all(file));
}

}  // namespace toktier::bench
