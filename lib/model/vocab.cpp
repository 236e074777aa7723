#include "model/vocab.hpp"

#include "base/hash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <random>

namespace toktier::model {
namespace {
// A half-full table of a good hash has runs of a few dozen slots at most. A longer run means a
// vocabulary made to collide; the table is then rebuilt with another key, so that no file can make
// loading quadratic.
constexpr std::size_t kLongestRun = 512;
}  // namespace

void Vocab::reserve(std::size_t tokens, std::size_t bytes) {
  tokens = std::min<std::size_t>(tokens, std::size_t{kMaxTokenId} + 1);
  blob_.reserve(bytes);
  begin_.reserve(tokens);
  length_.reserve(tokens);
  order_.reserve(tokens);
}

bool Vocab::add(TokenId id, std::string_view bytes) {
  if (id > kMaxTokenId || bytes.size() >= kAbsent - blob_.size()) return false;
  if (id >= begin_.size()) {
    const std::size_t size = std::size_t{id} + 1;
    if (size > begin_.capacity()) {
      const std::size_t room = std::max(size, begin_.capacity() * 2);
      begin_.reserve(room);
      length_.reserve(room);
    }
    begin_.resize(size, kAbsent);
    length_.resize(size, 0);
  } else if (begin_[id] != kAbsent) {
    if ((*this)[id] != bytes) return false;
    order_.push_back(id);
    return true;
  }
  begin_[id] = static_cast<std::uint32_t>(blob_.size());
  length_[id] = static_cast<std::uint32_t>(bytes.size());
  blob_.append(bytes);
  order_.push_back(id);
  ++count_;
  longest_ = std::max(longest_, bytes.size());
  return true;
}

std::uint64_t Vocab::hash(std::string_view bytes) const { return base::hash_bytes(bytes, seed_); }

void Vocab::index() {
  seed_ = 0;
  while (!build_slots()) {
    std::random_device entropy;
    seed_ = (static_cast<std::uint64_t>(entropy()) << 32) | entropy();
  }
  order_ = {};
}

bool Vocab::build_slots() {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, order_.size() * 2));
  slots_.assign(size, Slot{});
  distinct_ = 0;
  const std::size_t mask = size - 1;
  constexpr std::size_t kAhead = 16;
  std::array<std::uint64_t, kAhead> hashes{};
  const auto prepare = [&](std::size_t i) {
    hashes[i % kAhead] = hash((*this)[order_[i]]);
    __builtin_prefetch(&slots_[hashes[i % kAhead] & mask], 1);
  };
  for (std::size_t i = 0; i < std::min(kAhead, order_.size()); ++i) prepare(i);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint64_t h = hashes[i % kAhead];
    if (i + kAhead < order_.size()) prepare(i + kAhead);
    const TokenId id = order_[i];
    const auto tag = static_cast<std::uint32_t>(h >> 32);
    std::size_t run = 0;
    for (std::size_t at = h & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.id == kNoToken) {
        slot = {tag, id};
        ++distinct_;
        break;
      }
      if (slot.tag == tag && base::equal_bytes((*this)[slot.id], (*this)[id])) {
        slot.id = id;
        break;
      }
      if (++run > kLongestRun) return false;
    }
  }
  return true;
}

void Vocab::drop_shadowed() {
  for (TokenId id = 0; id < end_id() && count_ > distinct_; ++id) {
    if (has(id) && find((*this)[id]) != id) {
      begin_[id] = kAbsent;
      --count_;
    }
  }
}

TokenId Vocab::probe(std::uint64_t h, std::string_view bytes) const {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(h >> 32);
  for (std::size_t at = h & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.id == kNoToken) return kNoToken;
    if (slot.tag == tag && base::equal_bytes((*this)[slot.id], bytes)) return slot.id;
  }
}

TokenId Vocab::find(std::string_view bytes) const {
  return slots_.empty() ? kNoToken : probe(hash(bytes), bytes);
}

void Vocab::find_many(std::span<const std::string_view> many, std::span<TokenId> out) const {
  if (slots_.empty()) {
    std::fill(out.begin(), out.end(), kNoToken);
    return;
  }
  constexpr std::size_t kBlock = 32;
  std::array<std::uint64_t, kBlock> hashes{};
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t start = 0; start < many.size(); start += kBlock) {
    const std::size_t n = std::min(kBlock, many.size() - start);
    for (std::size_t i = 0; i < n; ++i) {
      hashes[i] = hash(many[start + i]);
      __builtin_prefetch(&slots_[hashes[i] & mask]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const TokenId id = slots_[hashes[i] & mask].id;
      if (id != kNoToken) {
        __builtin_prefetch(&begin_[id]);
        __builtin_prefetch(&length_[id]);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const TokenId id = slots_[hashes[i] & mask].id;
      if (id != kNoToken) __builtin_prefetch(blob_.data() + begin_[id]);
    }
    for (std::size_t i = 0; i < n; ++i) out[start + i] = probe(hashes[i], many[start + i]);
  }
}

}  // namespace toktier::model
