#pragma once
// A piece of work beside the caller's own, on another thread where there is one to be had.

#include <exception>
#include <functional>
#include <thread>

namespace toktier::base {

/// Runs `work` from construction to join(), which must be called before what it uses goes away
/// (the destructor does) and which throws what `work` threw. On a machine with one processor, or
/// when no thread can be started, the constructor runs it itself.
class Beside {
 public:
  explicit Beside(std::function<void()> work);
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  ~Beside();
  void join();

 private:
  std::thread thread_;
  std::exception_ptr failure_;
};

}  // namespace toktier::base
