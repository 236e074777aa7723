#pragma once
// The 64-bit digests by which answers are compared without moving them: XXH3-64, seed 0, of the
// little-endian 32-bit arrays (spans as begin, end). They equal those of the reference workers and
// of stored answers, so they are part of both formats. Two different answers meet by chance once in
// 2^64. Pure functions and a value type.

#include "toktier/types.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace toktier::diff {

std::uint64_t digest(std::span<const TokenId> ids);
std::uint64_t digest(std::span<const Span> spans);
std::uint64_t digest_bytes(std::string_view bytes);

/// Of texts and their borders, as they come. Value type.
class TextDigest {
 public:
  TextDigest();
  ~TextDigest();
  TextDigest(const TextDigest&) = delete;
  TextDigest& operator=(const TextDigest&) = delete;
  void add(std::string_view text);
  /// Of the texts so far.
  std::uint64_t value() const;
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 128 bits, for keys: two texts are taken as equal when these are.
struct Key128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend auto operator<=>(const Key128&, const Key128&) = default;
};
/// Of the texts and their borders.
Key128 key_of(std::span<const std::string_view> texts);

}  // namespace toktier::diff
