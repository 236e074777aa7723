#include "base/beside.hpp"

#include <system_error>
#include <utility>

namespace toktier::base {

Beside::Beside(std::function<void()> work) {
  auto guarded = [this, work = std::move(work)] {
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
  };
  if (std::thread::hardware_concurrency() > 1) {
    try {
      thread_ = std::thread(guarded);
      return;
    } catch (const std::system_error&) {
      // No thread to be had: the work is done here.
    }
  }
  guarded();
}

Beside::~Beside() {
  if (thread_.joinable()) thread_.join();
}

void Beside::join() {
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace toktier::base
