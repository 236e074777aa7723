#pragma once
// An allocator for large tables that are read at random: memory in pages of 2 MiB where the system
// has them, so that a lookup rarely waits for the address translation as well. Small requests are
// ordinary ones. Stateless and thread-safe.

#include <cstddef>
#include <new>
#include <vector>

namespace toktier::base {

/// Throws std::bad_alloc. Memory from allocate_large goes back to free_large with the same size.
void* allocate_large(std::size_t bytes);
void free_large(void* memory, std::size_t bytes) noexcept;

template <class T>
struct HugePageAllocator {
  using value_type = T;
  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(allocate_large(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) noexcept { free_large(p, n * sizeof(T)); }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

template <class T>
using LargeTable = std::vector<T, HugePageAllocator<T>>;

}  // namespace toktier::base
