#pragma once
// From what the user typed to a file: path, directory, or name in TOKTIER_MODELS. Free functions,
// thread-safe.

#include <optional>
#include <string>

namespace toktier::model {

/// Error{unavailable} when nothing is found (with the nearest name, if any), Error{input} when a
/// directory holds several candidates.
std::string find_tokenizer_file(const std::string& path_or_name);

/// The same for who reads the file more than once: Error{input} for standard input and for FIFOs,
/// sockets and devices, before anything opens them (and waits). "embedded" stays as it is.
std::string find_lasting_tokenizer_file(const std::string& path_or_name);

/// encoding.json or encoding.json.zst in the folder of `file`.
std::optional<std::string> find_side_file(const std::string& file);

}  // namespace toktier::model
