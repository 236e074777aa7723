#include "bpe/pair_table.hpp"

#include "toktier/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace toktier::bpe {
namespace {

unsigned bits_for(std::uint64_t value) {
  return std::max(1U, static_cast<unsigned>(std::bit_width(value)));
}

std::uint64_t low_bits(unsigned n) { return (std::uint64_t{1} << n) - 1; }

}  // namespace

void PairTable::lay_out(unsigned symbol_bits, unsigned priority_bits, unsigned bucket_bits) {
  symbol_bits_ = symbol_bits;
  rest_bits_ = 2 * symbol_bits - bucket_bits;
  tag_bits_ = rest_bits_ + kFarBits;
  result_shift_ = tag_bits_ + priority_bits;
  symbol_mask_ = static_cast<std::uint32_t>(low_bits(symbol_bits));
  priority_mask_ = static_cast<std::uint32_t>(low_bits(priority_bits));
  key_mask_ = low_bits(2 * symbol_bits);
  rest_mask_ = low_bits(rest_bits_);
  tag_mask_ = low_bits(tag_bits_);
  // Any odd number permutes; this one spreads (the golden ratio as a fraction of the range).
  multiplier_ = (0x9E3779B97F4A7C15ULL >> (64 - 2 * symbol_bits)) | 1U;
  bucket_mask_ = static_cast<std::size_t>(low_bits(bucket_bits));
  slots_.assign((bucket_mask_ + 1) * kWays, kFree);
  pairs_ = 0;
}

// False when the pair would lie too far from its home.
bool PairTable::insert(const Entry& entry) {
  Probe p = probe(entry.left, entry.right);
  for (unsigned far = 0; far < (1U << kFarBits) - 1; ++far) {
    std::uint64_t* const e = &slots_[p.bucket * kWays];
    for (std::size_t i = 0; i < kWays; ++i) {
      const bool free = (e[i] | kOverflow) == ~std::uint64_t{0};
      if (!free && (e[i] & tag_mask_) != p.tag) continue;
      pairs_ += free;
      e[i] = (e[i] & kOverflow) | std::uint64_t{entry.result} << result_shift_ |
             std::uint64_t{entry.priority} << tag_bits_ | p.tag;
      return true;
    }
    e[0] |= kOverflow;
    p.bucket = (p.bucket + 1) & bucket_mask_;
    p.tag += std::uint64_t{1} << rest_bits_;
  }
  return false;
}

bool PairTable::insert_all(const std::vector<Entry>& entries) {
  // The table is larger than the caches: ask for a place well before it is needed.
  constexpr std::size_t kAhead = 16;
  const std::size_t n = entries.size();
  for (std::size_t i = 0; i < std::min(kAhead, n); ++i)
    prefetch(probe(entries[i].left, entries[i].right));
  for (std::size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) prefetch(probe(entries[i + kAhead].left, entries[i + kAhead].right));
    if (!insert(entries[i])) return false;
  }
  return true;
}

void PairTable::build(const std::vector<Entry>& entries) {
  Symbol largest = 0;
  std::uint32_t last = 0;
  for (const Entry& e : entries) {
    largest = std::max({largest, e.left, e.right, e.result});
    last = std::max(last, e.priority);
  }
  if (last > kMaxPriority) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} merges; at most {} are supported", last + 1ULL, kMaxPriority + 1),
                "model.merges");
  }
  if (largest >= kMaxSymbols) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("token id {} in a merge; ids up to {} are supported", largest, kMaxSymbols - 1),
        "model.merges");
  }
  const unsigned symbol_bits = bits_for(largest);
  const unsigned priority_bits = bits_for(last + 1ULL);  // all ones is no priority
  // At most 60 % full, and so many buckets that what is left of a pair fits into its entry.
  unsigned bucket_bits = 0;
  while ((kWays << bucket_bits) * 6 < entries.size() * 10 ||
         3 * symbol_bits + kFarBits + priority_bits > 63 + bucket_bits) {
    ++bucket_bits;
  }
  for (;; ++bucket_bits) {
    // A single bucket a pair would be direct addressing; it always succeeds.
    lay_out(symbol_bits, priority_bits, std::min(bucket_bits, 2 * symbol_bits));
    if (insert_all(entries)) return;
  }
}

}  // namespace toktier::bpe
