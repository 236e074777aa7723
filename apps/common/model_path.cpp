#include "apps/common/model_path.hpp"

#include "model/embedded.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace toktier::cli {

ModelPath::ModelPath(std::string path) : path_(std::move(path)) {
  if (path_ != "embedded") return;
  path_ =
      (std::filesystem::temp_directory_path() / fmt::format("toktier-embedded-{}.json", ::getpid()))
          .string();
  temporary_ = true;
  std::ofstream file(path_, std::ios::binary);
  file << model::embedded_gpt2();
  if (!file.flush()) throw Error(ErrorCode::input, "cannot write", path_);
}

ModelPath::~ModelPath() {
  std::error_code code;
  if (temporary_) std::filesystem::remove(path_, code);
}

}  // namespace toktier::cli
