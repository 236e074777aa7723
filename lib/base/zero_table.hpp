#pragma once
// A table of plain data that begins as zeros, for tables that are made while texts wait: large ones
// take zeroed pages from the system as they are touched, of 2 MiB where it has them, instead of
// being filled first. Movable; not thread-safe by itself.

#include "base/huge_pages.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace toktier::base {

/// `bytes` of zeros, aligned to 64 bytes. Throws std::bad_alloc.
void* allocate_zeroed(std::size_t bytes);
void free_zeroed(void* memory, std::size_t bytes) noexcept;

template <class T>
class ZeroTable {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  ZeroTable() = default;
  /// `size` elements whose bytes are all zero.
  explicit ZeroTable(std::size_t size)
      : data_(static_cast<T*>(allocate_zeroed(size * sizeof(T)))), size_(size) {}
  ZeroTable(ZeroTable&& other) noexcept { swap(other); }
  ZeroTable& operator=(ZeroTable&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ZeroTable() {
    if (data_ != nullptr) free_zeroed(data_, size_ * sizeof(T));
  }
  void swap(ZeroTable& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace toktier::base
