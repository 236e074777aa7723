#include "apps/common/signals.hpp"

#include <signal.h>
#include <unistd.h>

namespace toktier::cli {
namespace {

// Signal handlers can reach nothing but globals; this is the only one.
std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int number) {
  if (stop.exchange(true)) ::_exit(128 + number);
}

}  // namespace

void install_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

const std::atomic<bool>& stop_flag() { return stop; }

}  // namespace toktier::cli
