#include "apps/bench/first_call.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace toktier::bench {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::string read_to_end(int descriptor) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

ProcessRun run_process(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(ErrorCode::unavailable, std::strerror(errno), "pipe");
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = -1;
  const auto start = std::chrono::steady_clock::now();
  const int code =
      ::posix_spawnp(&pid, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (code != 0) {
    ::close(ends[0]);
    throw Error(ErrorCode::unavailable,
                fmt::format("cannot start {}: {}", command[0], std::strerror(code)));
  }
  ProcessRun run;
  run.output = read_to_end(ends[0]);
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  run.time.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.time.cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

std::uint64_t printed_count(const ProcessRun& run) {
  constexpr std::string_view kField = "\"count\":";
  std::string_view text = run.output;
  if (const std::size_t at = text.find(kField); at != std::string_view::npos) {
    text.remove_prefix(at + kField.size());
  }
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (run.exit_code != 0 || error != std::errc()) {
    throw Error(ErrorCode::unavailable,
                fmt::format("first call: exit code {}, no count printed", run.exit_code));
  }
  return count;
}

}  // namespace toktier::bench
