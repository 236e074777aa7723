#pragma once
// Work in parallel, results in the order of the input.
//
// read() and write() are called by one thread at a time, in order; work() by up to `jobs` threads
// at once. At most 4 items per job are in flight, so memory is bounded by their size. With one job
// everything runs on the calling thread. The first exception of any stage stops reading and is
// thrown to the caller after what is in flight has ended.

#include <functional>
#include <memory>

namespace toktier::flow {

/// Type-free core of run_ordered. `read` returns null at the end.
void run_ordered_pointers(unsigned jobs, const std::function<std::shared_ptr<void>()>& read,
                          const std::function<void(void*)>& work,
                          const std::function<void(void*)>& write);

template <typename Item>
void run_ordered(unsigned jobs, const std::function<std::shared_ptr<Item>()>& read,
                 const std::function<void(Item&)>& work, const std::function<void(Item&)>& write) {
  run_ordered_pointers(
      jobs, [&]() -> std::shared_ptr<void> { return read(); },
      [&](void* item) { work(*static_cast<Item*>(item)); },
      [&](void* item) { write(*static_cast<Item*>(item)); });
}

}  // namespace toktier::flow
