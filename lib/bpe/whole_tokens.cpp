#include "bpe/whole_tokens.hpp"

#include <bit>

namespace toktier::bpe {

void WholeTokens::start(std::size_t tokens) {
  const std::size_t capacity = std::bit_ceil(tokens * 2 + 2);
  slots_.assign(capacity, {});
  mask_ = capacity - 1;
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(capacity));
}

void WholeTokens::add(std::string_view bytes, TokenId id) {
  const PieceCache::ShortKey key = PieceCache::short_key(bytes.data(), bytes.size(), false);
  const std::uint64_t rest = pack(key);
  std::size_t slot = home(key);
  while (slots_[slot].rest != 0 &&
         (slots_[slot].low != key.low || (slots_[slot].rest & kKeyMask) != rest))
    slot = (slot + 1) & mask_;
  slots_[slot] = {key.low, rest | std::uint64_t{id} << kIdShift};
}

}  // namespace toktier::bpe
