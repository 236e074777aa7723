#pragma once
// The path of a tokenizer file, also of the embedded one, for references that read a file.

#include <string>

namespace toktier::cli {

/// "embedded" becomes a file that lives as long as this object; another path stays as it is.
/// Error{input} when that file cannot be written.
class ModelPath {
 public:
  explicit ModelPath(std::string path);
  ~ModelPath();
  ModelPath(const ModelPath&) = delete;
  ModelPath& operator=(const ModelPath&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool temporary_ = false;
};

}  // namespace toktier::cli
