#pragma once
// A child process spoken to over one socket (its standard input and output). No call waits longer
// than its deadline, and none raises a signal. Its standard error is ours. Not thread-safe;
// movable.

#include <chrono>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace toktier::diff::external {

class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  ChildProcess() = default;
  /// Error{unavailable} when it cannot be started. `command[0]` is looked up in PATH.
  explicit ChildProcess(const std::vector<std::string>& command);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Ends the child (end of input, then a kill) and collects it.
  ~ChildProcess();

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

  /// All or Error{unavailable}: the child ended, or the deadline passed.
  void write_all(std::string_view bytes, Clock::time_point deadline);
  /// Exactly `size` bytes, or Error{unavailable}. Memory grows with what arrives, not with `size`.
  std::string read_exactly(std::size_t size, Clock::time_point deadline);

  /// Kills and collects; what its exit was goes into `why_ended()`.
  void kill() noexcept;
  const std::string& why_ended() const { return why_ended_; }

 private:
  void wait_for(short events, Clock::time_point deadline);
  void collect() noexcept;

  pid_t pid_ = -1;
  int socket_ = -1;
  std::string why_ended_;
};

}  // namespace toktier::diff::external
