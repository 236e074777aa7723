#include "diff/external/child_process.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace toktier::diff::external {
namespace {

[[noreturn]] void lost(const std::string& what) {
  throw Error(ErrorCode::unavailable, what, "reference worker");
}

std::string describe_status(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("status {}", status);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  if (command.empty()) lost("no command");
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    lost(fmt::format("socketpair: {}", std::strerror(errno)));
  }
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  const int code =
      ::posix_spawnp(&pid_, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (code != 0) {
    ::close(ends[0]);
    pid_ = -1;
    lost(fmt::format("cannot start {}: {}", command[0], std::strerror(code)));
  }
  socket_ = ends[0];
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      why_ended_(std::move(other.why_ended_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    socket_ = std::exchange(other.socket_, -1);
    why_ended_ = std::move(other.why_ended_);
  }
  return *this;
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::wait_for(short events, Clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      kill();
      lost("no answer within the time limit; killed");
    }
    pollfd entry{socket_, events, 0};
    const int count =
        ::poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (count > 0) return;
    if (count < 0 && errno != EINTR) lost(fmt::format("poll: {}", std::strerror(errno)));
  }
}

void ChildProcess::write_all(std::string_view bytes, Clock::time_point deadline) {
  if (!running()) lost("not running");
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (count < 0 && errno == EAGAIN) {
      wait_for(POLLOUT, deadline);
    } else if (!(count < 0 && errno == EINTR)) {
      const std::string reason = std::strerror(errno);
      kill();
      lost(fmt::format("died while a request was written ({}; {})", reason, why_ended_));
    }
  }
}

std::string ChildProcess::read_exactly(std::size_t size, Clock::time_point deadline) {
  if (!running()) lost("not running");
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t part = std::min<std::size_t>(size - bytes.size(), std::size_t{1} << 22);
    const std::size_t old = bytes.size();
    wait_for(POLLIN, deadline);
    bytes.resize(old + part);
    const ssize_t count = ::recv(socket_, bytes.data() + old, part, MSG_DONTWAIT);
    bytes.resize(old + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count > 0) continue;
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    kill();
    lost(fmt::format("died before its answer was complete ({})", why_ended_));
  }
  return bytes;
}

void ChildProcess::collect() noexcept {
  int status = 0;
  pid_t found = 0;
  while ((found = ::waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
  }
  try {
    if (found == pid_) why_ended_ = describe_status(status);
  } catch (...) {
    why_ended_.clear();
  }
  pid_ = -1;
}

void ChildProcess::kill() noexcept {
  if (socket_ >= 0) {
    ::close(socket_);  // the child reads the end of its input
    socket_ = -1;
  }
  if (pid_ <= 0) return;
  // A child that already ended keeps its own exit status; one that still runs has nothing left to
  // say.
  int status = 0;
  const pid_t found = ::waitpid(pid_, &status, WNOHANG);
  if (found == pid_) {
    try {
      why_ended_ = describe_status(status);
    } catch (...) {
      why_ended_.clear();
    }
    pid_ = -1;
    return;
  }
  ::kill(pid_, SIGKILL);
  collect();
}

}  // namespace toktier::diff::external
