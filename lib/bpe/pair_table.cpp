#include "bpe/pair_table.hpp"

#include "toktier/error.hpp"

#include <fmt/core.h>

#include <bit>

namespace toktier::bpe {

void PairTable::build(const std::vector<Entry>& entries, std::vector<Symbol> result,
                      std::vector<std::uint32_t> priority) {
  if (result.size() > kMaxMerges) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} merges; at most {} are supported", result.size(), kMaxMerges),
                "model.merges");
  }
  // At most half full, so that a miss (the majority of lookups) ends after one or two slots of one
  // cache line.
  const std::size_t capacity = std::bit_ceil(entries.size() * 2 + 2);
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(capacity));
  mask_ = capacity - 1;
  slots_.assign(capacity, kEmpty);
  pairs_ = 0;
  for (const Entry& e : entries) {
    if (e.left >= kMaxSymbols || e.right >= kMaxSymbols) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("token id {} in a merge; ids up to {} are supported",
                              std::max(e.left, e.right), kMaxSymbols - 1),
                  "model.merges");
    }
    const std::uint64_t key = (static_cast<std::uint64_t>(e.left) << 21) | e.right;
    std::size_t slot = hash(key);
    while (slots_[slot] != kEmpty && (slots_[slot] >> 22) != key) slot = (slot + 1) & mask_;
    pairs_ += slots_[slot] == kEmpty;
    slots_[slot] = (key << 22) | e.index;
  }
  result_ = std::move(result);
  priority_ = std::move(priority);
  has_ties_ = false;
  for (std::size_t i = 1; i < priority_.size(); ++i) has_ties_ |= priority_[i] == priority_[i - 1];
}

}  // namespace toktier::bpe
