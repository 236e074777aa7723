#include "added/literal_trie.hpp"

#include "toktier/error.hpp"

#include <algorithm>
#include <bit>
#include <deque>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace toktier::added {

namespace {

/// The literals [low, high) share their first `depth` bytes, which lead to `state`.
struct Group {
  std::uint32_t state;
  std::size_t depth;
  std::size_t low;
  std::size_t high;
};

constexpr std::size_t kMaxBytes = std::size_t{1} << 28;

#if defined(__SSE2__)
/// Offset of the first byte of the 16 at `p` that equals one of `count` needles; 16 when none does.
inline unsigned find_any16(const char* p, const __m128i* needles, std::size_t count) {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  __m128i hit = _mm_cmpeq_epi8(block, needles[0]);
  for (std::size_t i = 1; i < count; ++i)
    hit = _mm_or_si128(hit, _mm_cmpeq_epi8(block, needles[i]));
  const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hit));
  return mask == 0 ? 16U : static_cast<unsigned>(std::countr_zero(mask));
}
#endif

}  // namespace

void LiteralTrie::grow_to(std::size_t slots) {
  if (slots <= base_.size()) return;
  const std::size_t size = std::max(slots, base_.size() + base_.size() / 2);
  base_.resize(size, 0);
  check_.resize(size, kNone);
  value_.resize(size, kNone);
}

std::uint32_t LiteralTrie::find_base(const std::vector<unsigned char>& bytes) {
  // Slot 0 is the root; a base of at least 1 keeps every child off it.
  for (;;) {
    grow_to(first_free_ + 1U);
    if (check_[first_free_] == kNone) break;
    ++first_free_;
  }
  for (std::uint32_t slot = std::max<std::uint32_t>(first_free_, bytes[0] + 1U);; ++slot) {
    const std::uint32_t base = slot - bytes[0];
    grow_to(std::size_t{base} + 256);
    const bool fits = std::all_of(bytes.begin(), bytes.end(),
                                  [&](unsigned char b) { return check_[base + b] == kNone; });
    if (fits) return base;
  }
}

void LiteralTrie::build(std::vector<Literal> literals) {
  *this = LiteralTrie();
  count_ = literals.size();
  grow_to(257);
  check_[kRoot] = kRoot;  // in use; no transition leads to it because every base is at least 1
  base_[kRoot] = 1;
  if (literals.empty()) return;
  std::size_t bytes = 0;
  for (const Literal& literal : literals) {
    if (literal.text.empty()) throw Error(ErrorCode::internal, "an empty literal in a trie");
    bytes += literal.text.size();
    longest_ = std::max(longest_, literal.text.size());
    const auto b0 = static_cast<unsigned char>(literal.text[0]);
    first_[b0] = true;
    if (literal.text.size() == 1) {
      single_[b0] = true;
      for (unsigned b1 = 0; b1 < 256; ++b1) {
        const unsigned pair = (unsigned{b0} << 8) | b1;
        pairs_[pair >> 6] |= std::uint64_t{1} << (pair & 63);
      }
    } else {
      const unsigned pair = (unsigned{b0} << 8) | static_cast<unsigned char>(literal.text[1]);
      pairs_[pair >> 6] |= std::uint64_t{1} << (pair & 63);
    }
  }
  if (bytes > kMaxBytes) {
    throw Error(ErrorCode::unsupported, "the added tokens hold more than 268435456 bytes");
  }
  for (unsigned b = 0; b < 256; ++b) {
    if (first_[b]) few_first_.push_back(static_cast<unsigned char>(b));
  }
  if (few_first_.size() > kFew) few_first_.clear();

  std::sort(literals.begin(), literals.end(),
            [](const Literal& a, const Literal& b) { return a.text < b.text; });
  std::deque<Group> open{{kRoot, 0, 0, literals.size()}};
  std::vector<unsigned char> branches;
  std::vector<std::size_t> starts;
  while (!open.empty()) {
    Group group = open.front();
    open.pop_front();
    if (literals[group.low].text.size() == group.depth) {
      value_[group.state] = literals[group.low].value;
      ++group.low;
      if (group.low < group.high && literals[group.low].text.size() == group.depth) {
        throw Error(ErrorCode::internal, "equal literals in a trie");
      }
    }
    branches.clear();
    starts.clear();
    for (std::size_t i = group.low; i < group.high; ++i) {
      const auto b = static_cast<unsigned char>(literals[i].text[group.depth]);
      if (branches.empty() || branches.back() != b) {
        branches.push_back(b);
        starts.push_back(i);
      }
    }
    if (branches.empty()) {
      base_[group.state] = 1;  // a leaf: its transitions are refused by check_
      continue;
    }
    const std::uint32_t base = find_base(branches);
    base_[group.state] = base;
    starts.push_back(group.high);
    for (std::size_t i = 0; i < branches.size(); ++i) {
      check_[base + branches[i]] = group.state;
      open.push_back({base + branches[i], group.depth + 1, starts[i], starts[i + 1]});
    }
  }
  grow_to(*std::max_element(base_.begin(), base_.end()) + std::size_t{256});
}

std::size_t LiteralTrie::next_candidate(std::string_view text, std::size_t at) const {
  if (count_ == 0) return text.size();
  const std::size_t size = text.size();
#if defined(__SSE2__)
  if (!few_first_.empty()) {
    __m128i needles[kFew];
    for (std::size_t i = 0; i < few_first_.size(); ++i) {
      needles[i] = _mm_set1_epi8(static_cast<char>(few_first_[i]));
    }
    while (at + 16 <= size) {
      const unsigned offset = find_any16(text.data() + at, needles, few_first_.size());
      at += offset;
      if (offset == 16) continue;
      if (candidate(text, at)) return at;
      ++at;
    }
  }
#endif
  for (; at < size; ++at) {
    if (candidate(text, at)) return at;
  }
  return size;
}

}  // namespace toktier::added
