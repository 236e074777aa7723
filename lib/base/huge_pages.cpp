#include "base/huge_pages.hpp"

#include "base/zero_table.hpp"

#include <cstdint>
#include <cstring>
#include <sys/mman.h>

namespace toktier::base {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kAlignment = 64;  // small tables too hold whole cache lines

bool is_large(std::size_t bytes) { return bytes >= kHugePage; }

// Up to the next small page, which is what the system counts in.
std::size_t whole_pages(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

}  // namespace

void* allocate_large(std::size_t bytes) {
  const std::size_t alignment = is_large(bytes) ? kHugePage : kAlignment;
  void* const memory = ::operator new(bytes, std::align_val_t(alignment));
  // Advice only, and before the first touch: afterwards the small pages are there already.
  if (is_large(bytes)) ::madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, std::align_val_t(is_large(bytes) ? kHugePage : kAlignment));
}

void* allocate_zeroed(std::size_t bytes) {
  if (!is_large(bytes)) {
    void* const memory = allocate_large(bytes);
    std::memset(memory, 0, bytes);
    return memory;
  }
  // Fresh pages are zeros. One huge page more than needed, so that the table can begin at one.
  const std::size_t all = bytes + kHugePage;
  void* const mapped =
      ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<char*>(mapped);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(mapped) % kHugePage) % kHugePage;
  if (before > 0) ::munmap(begin, before);
  const std::size_t kept = whole_pages(bytes);
  if (all - before > kept) ::munmap(begin + before + kept, all - before - kept);
  ::madvise(begin + before, kept, MADV_HUGEPAGE);
  return begin + before;
}

void free_zeroed(void* memory, std::size_t bytes) noexcept {
  if (is_large(bytes))
    ::munmap(memory, whole_pages(bytes));
  else
    free_large(memory, bytes);
}

}  // namespace toktier::base
