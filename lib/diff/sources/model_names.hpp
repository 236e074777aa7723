#pragma once
// Names under which case files and vector files speak of tokenizers, and the files of a collection
// that hold them.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace toktier::diff::sources {

struct ModelName {
  std::string_view name;
  std::string_view file;  // relative to a folder in TOKTIER_MODELS, without ".zst"
  /// The file is a near relative (other added tokens, another version): ids quoted for the name do
  /// not bind it.
  bool stand_in = false;
};

std::span<const ModelName> model_names();

/// The row of `name`, nullptr when there is none.
const ModelName* find_model_name(std::string_view name);

/// The file of a row (or that file with ".zst") in the folders of the list `folders`, separated by
/// colons.
std::optional<std::string> find_model_file(const ModelName& row, std::string_view folders);

}  // namespace toktier::diff::sources
