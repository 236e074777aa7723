#pragma once
// Small value types shared by every room. Units are part of the names: bytes unless said otherwise.

#include <cstddef>
#include <cstdint>

namespace toktier {

using TokenId = std::uint32_t;

/// Half-open range [begin, end). Unit: bytes, unless the name that holds it says code points.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

/// Texts are addressed with 32 bits; a longer document is refused with a clear error.
inline constexpr std::size_t kMaxDocumentBytes = (std::size_t{1} << 31) - 1;

}  // namespace toktier
