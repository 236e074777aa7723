#pragma once
// Inputs that cannot be read and texts that are refused: each is said when it is met, the run goes
// on with the others, and its exit code tells. Not thread-safe.

#include "apps/common/exit_code.hpp"

#include <cstdint>

namespace toktier::encode_app {

class Failures {
 public:
  /// `fast`: the first one ends the run.
  explicit Failures(bool fast) : fast_(fast) {}

  /// True for errors that concern one input: missing, damaged, refused. Others concern the run.
  static bool concerns_one_input(const Error& error) {
    return error.code() == ErrorCode::input || error.code() == ErrorCode::unsupported;
  }
  /// Prints the error; throws it with `fast`, and when it concerns the run.
  void add(const Error& error);

  std::uint64_t count() const { return count_; }
  cli::ExitCode code() const { return code_; }

 private:
  bool fast_;
  std::uint64_t count_ = 0;
  cli::ExitCode code_ = cli::ExitCode::ok;
};

}  // namespace toktier::encode_app
