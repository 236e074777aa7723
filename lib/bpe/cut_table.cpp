#include "bpe/cut_table.hpp"

#include "unicode/utf8.hpp"

#include <algorithm>
#include <span>

namespace toktier::bpe {
namespace {

// A fragment (1..4 bytes of one character) as a number; unique because no fragment of several bytes
// begins with NUL and a pair slot of 0 never occurs: it would need an empty left fragment.
std::uint32_t pack(std::span<const unsigned char> bytes) {
  std::uint32_t v = 0;
  for (const unsigned char c : bytes) v = (v << 8) | c;
  return v;
}
std::uint32_t pack(std::string_view bytes) {
  std::uint32_t v = 0;
  for (const char c : bytes) v = (v << 8) | static_cast<unsigned char>(c);
  return v;
}

// UTF-8 of a scalar value; returns its length.
unsigned encode(char32_t c, unsigned char* out) {
  const auto tail = [c](unsigned shift) {
    return static_cast<unsigned char>(0x80 | ((c >> shift) & 0x3F));
  };
  if (c < 0x80) {
    out[0] = static_cast<unsigned char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<unsigned char>(0xC0 | (c >> 6));
    out[1] = tail(0);
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<unsigned char>(0xE0 | (c >> 12));
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<unsigned char>(0xF0 | (c >> 18));
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

bool continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Length of the fragment at the front: a run of continuation bytes, or a lead with its continuation
// bytes as far as they are there.
std::size_t fragment_length(std::string_view rest) {
  std::size_t n = 1;
  const std::size_t want =
      continuation(rest[0]) ? 3 : unicode::sequence_length(static_cast<unsigned char>(rest[0]));
  while (n < want && n < rest.size() && continuation(rest[n])) ++n;
  return n;
}

std::size_t mix(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15ULL;
  return static_cast<std::size_t>(key ^ (key >> 32));
}

// U+0000 alone would pack to 0; a pair of it with anything is stored under this stand-in.
constexpr std::uint64_t kFreeStandIn = ~std::uint64_t{0};

std::uint64_t pair_key(std::uint32_t left, std::uint32_t right) {
  const std::uint64_t key = (static_cast<std::uint64_t>(left) << 32) | right;
  return key == 0 ? kFreeStandIn : key;
}

}  // namespace

std::size_t CutTable::filter_bit(std::uint32_t fragment) { return (fragment * 0x9E3779B1U) >> 16; }

bool CutTable::insert(std::uint32_t left, std::uint32_t right) {
  left_filter_[filter_bit(left) >> 6] |= std::uint64_t{1} << (filter_bit(left) & 63);
  right_filter_[filter_bit(right) >> 6] |= std::uint64_t{1} << (filter_bit(right) & 63);
  const std::uint64_t key = pair_key(left, right);
  const std::size_t mixed = mix(key);
  pair_filter_[mixed >> 6 & (pair_filter_.size() - 1)] |= std::uint64_t{1} << (mixed & 63);
  std::size_t mask = slots_.size() - 1;
  std::size_t slot = mixed & mask;
  while (slots_[slot] != 0 && slots_[slot] != key) slot = (slot + 1) & mask;
  if (slots_[slot] == key) return false;
  slots_[slot] = key;
  ++pair_count_;
  if (pair_count_ * 2 < slots_.size()) return true;
  std::vector<std::uint64_t> old(slots_.size() * 2, 0);
  old.swap(slots_);
  mask = slots_.size() - 1;
  for (const std::uint64_t k : old) {
    if (k == 0) continue;
    std::size_t s = mix(k) & mask;
    while (slots_[s] != 0) s = (s + 1) & mask;
    slots_[s] = k;
  }
  return true;
}

bool CutTable::has(std::uint32_t left, std::uint32_t right) const {
  const std::uint64_t key = pair_key(left, right);
  const std::size_t mixed = mix(key);
  if ((pair_filter_[mixed >> 6 & (pair_filter_.size() - 1)] >> (mixed & 63) & 1) == 0) return false;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mixed & mask;
  while (slots_[slot] != 0) {
    if (slots_[slot] == key) return true;
    slot = (slot + 1) & mask;
  }
  return false;
}

void CutTable::add(std::string_view result) {
  if (result.empty()) return;
  auto x = static_cast<unsigned char>(result[0]);
  unsigned any = x;
  for (std::size_t i = 1; i < result.size(); ++i) {
    const auto y = static_cast<unsigned char>(result[i]);
    bytes_[x][y >> 6] |= std::uint64_t{1} << (y & 63);
    any |= y;
    x = y;
  }
  if (any < 0x80) return;  // finish() knows the rest from the pairs of bytes
  std::string_view previous;
  for (std::size_t at = 0; at < result.size();) {
    const std::string_view fragment = result.substr(at, fragment_length(result.substr(at)));
    partial_ |=
        continuation(fragment[0]) ||
        unicode::sequence_length(static_cast<unsigned char>(fragment[0])) != fragment.size();
    const bool ascii =
        fragment.size() == 1 && previous.size() == 1 && ((fragment[0] | previous[0]) & 0x80) == 0;
    if (!previous.empty() && !ascii && insert(pack(previous), pack(fragment)))
      filter_.add(previous, fragment);
    previous = fragment;
    at += fragment.size();
  }
}

void CutTable::finish() {
  for (unsigned x = 0; x < 0x80; ++x) {
    for (unsigned y = 0; y < 0x80; ++y) {
      if (safe_bytes(static_cast<unsigned char>(x), static_cast<unsigned char>(y))) continue;
      set_near(x, y);
      const char both[] = {static_cast<char>(x), static_cast<char>(y)};
      filter_.add({both, 1}, {both + 1, 1});
    }
  }
  filter_.finish();
  for (char32_t c = 0; c < 0x80; ++c) {
    if (touches(kMark, c)) set_near(128, c);
    if (touches(c, kMark)) set_near(c, 128);
  }
  if (touches(kMark, kMark)) set_near(128, 128);

  for (unsigned c = 0; c < 256; ++c)
    class_of_[c] = static_cast<std::uint8_t>(byte_class(static_cast<unsigned char>(c)));
  for (unsigned c = 0; c < 0x80; ++c)
    if (left_out_[c]) class_of_[c] = kOther;
  if (left_out_[128]) class_of_[0xE2] = kOther;
  borders_.assign(std::size_t{kByteClasses} * kByteClasses, kStop);
  const auto set = [&](unsigned x, unsigned y, bool touching) {
    borders_[x * kByteClasses + y] = touching ? kNoCut : kCut;
  };
  for (unsigned x = 0; x < 0x80; ++x) {
    for (unsigned y = 0; y < 0x80; ++y) set(x, y, near(x, y));
    set(x, 128, near(x, 128));
    set(130, x, near(128, x));
  }
  set(128, 129, true);
  set(129, 130, true);
  set(130, 128, near(128, 128));
}

// Exact although it looks at two bytes at a time: 0x96 is let stand after 0xE2 only and 0x81 after
// 0x96 only, so each 0xE2 that is not stopped at begins a whole word mark.
std::size_t CutTable::near_cuts(std::string_view text, std::size_t at, std::uint32_t* cuts,
                                std::size_t cap, std::size_t* count) const {
  constexpr std::size_t kStep = 16;
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  const std::uint8_t* const borders = borders_.data();
  std::size_t n = *count;
  std::size_t p = at + 1;
  std::size_t left = class_of_[data[at]];
  if (left > 128) return at;
  bool stopped = false;
  while (p < text.size() && n + kStep < cap) {
    const std::size_t end = std::min(p + kStep, text.size());
    for (; p < end; ++p) {
      const std::size_t right = class_of_[data[p]];
      const std::uint8_t border = borders[left * kByteClasses + right];
      if (border == kStop) [[unlikely]] {
        stopped = true;
        break;
      }
      cuts[n] = static_cast<std::uint32_t>(p);
      n += border;
      left = right;
    }
    if (stopped) break;
  }
  // A character of which only a part was seen is not near, or not seen to its end: take it back.
  std::size_t border = p;
  if (left == 128 || left == 129) border -= left - 127;
  if (border < at + 1) border = at;
  while (n > *count && cuts[n - 1] >= border) --n;
  *count = n;
  return border;
}

bool CutTable::touches(char32_t x, char32_t y) const {
  unsigned char left[4], right[4];
  const unsigned n = encode(x, left), m = encode(y, right);
  if (!partial_) return has(pack({left, n}), pack({right, m}));
  std::uint32_t prefixes[4];
  unsigned known = 0;
  for (unsigned j = 1; j <= m; ++j) {
    const std::uint32_t prefix = pack({right, j});
    if (seen(right_filter_, prefix)) prefixes[known++] = prefix;
  }
  if (known == 0) return false;
  for (unsigned i = 0; i < n; ++i) {
    const std::uint32_t suffix = pack({left + i, n - i});
    if (!seen(left_filter_, suffix)) continue;
    for (unsigned j = 0; j < known; ++j)
      if (has(suffix, prefixes[j])) return true;
  }
  return false;
}

}  // namespace toktier::bpe
