#include "apps/common/signals.hpp"

#include "apps/common/exit_code.hpp"

#include <cstdint>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace toktier::cli {
namespace {

// Signal handlers can reach nothing but globals; these are the only ones.
std::atomic<bool> stop{false};
std::atomic<bool> finishes{false};
std::atomic<int> wake{-1};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  if (!finishes) ::_exit(static_cast<int>(ExitCode::stopped));
  if (stop.exchange(true)) ::_exit(128 + number);
  // Whatever thread waits for input is woken by this; the signal itself may reach another one.
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake, &one, sizeof one);
}

}  // namespace

void install_signals() {
  wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

void finish_on_signal() { finishes = true; }

const std::atomic<bool>& stop_flag() { return stop; }

int stop_descriptor() { return wake; }

}  // namespace toktier::cli
