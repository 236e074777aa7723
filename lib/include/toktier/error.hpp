#pragma once
// The one error type of the library.
//
// Thrown by loaders, stores and option parsing. The per-piece path neither throws nor allocates.
// Nothing in the library prints, exits or aborts. Thread-safety: a value type.

#include <stdexcept>
#include <string>

namespace toktier {

/// What kind of failure it is; stable, mapped once to exit codes by apps/common.
enum class ErrorCode {
  usage,        ///< wrong use: option, value, combination
  input,        ///< input missing, unreadable, damaged or not of the stated form
  unsupported,  ///< a valid file that asks for something not implemented; refused by name
  unavailable,  ///< an engine, oracle, model or device is missing or died
  internal,     ///< an invariant broke
};

/// `where` names the file and, inside it, the field ("tokenizer.json: model.merges[3]"); may be
/// empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string where = {})
      : std::runtime_error(where.empty() ? message : where + ": " + message),
        code_(code),
        where_(std::move(where)) {}
  ErrorCode code() const noexcept { return code_; }
  const std::string& where() const noexcept { return where_; }

 private:
  ErrorCode code_;
  std::string where_;
};

}  // namespace toktier
