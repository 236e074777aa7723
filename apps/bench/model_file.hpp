#pragma once
// The tokenizer file as every contestant is given it: unpacked, for the peers read no zstd.

#include "toktier/tokenizer.hpp"

#include <filesystem>
#include <string>

namespace toktier::bench {

/// A folder of its own that goes away with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }
  /// Writes a file into it and says where.
  std::string add(const std::string& name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

/// `file` ("embedded", or a path as info().path states it) itself when it is plain, else its
/// content in `folder`, an encoding.json beside it too.
std::string plain_model_file(const std::string& file, const TemporaryFolder& folder);

}  // namespace toktier::bench
