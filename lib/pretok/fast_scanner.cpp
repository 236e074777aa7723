#include "pretok/fast_scanner.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>

namespace toktier::pretok {

FastScanner::Step FastScanner::begin(std::uint32_t symbol, std::uint8_t flags) const {
  // At the end of the text there is no next piece; the state is not used.
  if (symbol == automaton_.end_symbol()) return {{0, kNone}, flags};
  return {{automaton_.next(0, symbol), kNone}, flags};
}

FastScanner::Step FastScanner::fold(const Folded& from, std::uint32_t symbol) const {
  if (from.state == 0) return begin(symbol, 0);
  const bool matched = automaton_.matched(from.state, symbol);
  const auto back = static_cast<std::uint16_t>(symbol);
  if (automaton_.alive(from.state, symbol)) {
    const std::uint16_t next = automaton_.next(from.state, symbol);
    if (matched) return {{next, back}, 0};
    if (from.back == kNone || from.back == kFar) return {{next, from.back}, 0};
    return {{next, kFar}, kRemember};
  }
  if (matched) return begin(symbol, kHere);
  if (from.back == kFar) return {{0, kNone}, kGiveBack};
  if (from.back == kNone) throw Error(ErrorCode::internal, "an attempt that dies without a match");
  // One character back: the new attempt has read that character, now it reads this one.
  const std::uint16_t again = automaton_.next(0, from.back);
  const bool ends = automaton_.matched(again, symbol);
  if (automaton_.alive(again, symbol)) {
    return {{automaton_.next(again, symbol), ends ? back : kNone}, kBefore};
  }
  return begin(symbol, kBefore | kHere);
}

FastScanner::FastScanner(const Automaton& automaton)
    : automaton_(automaton), stride_(std::bit_ceil(kClassColumn + automaton.symbols())) {
  std::map<Folded, std::uint16_t> numbers = {{{0, kNone}, 0}};
  std::vector<Folded> states = {{0, kNone}};
  for (std::size_t s = 0; s < states.size(); ++s) {
    next_.resize((s + 1) * stride_);
    flags_.resize((s + 1) * stride_);
    for (std::uint32_t c = 0; c < automaton.symbols(); ++c) {
      const Step step = fold(states[s], c);
      const auto [at, fresh] = numbers.emplace(step.to, static_cast<std::uint16_t>(states.size()));
      if (fresh) states.push_back(step.to);
      next_[s * stride_ + kClassColumn + c] = at->second;
      flags_[s * stride_ + kClassColumn + c] = step.flags;
    }
  }
  states_ = static_cast<std::uint32_t>(states.size());
  minimise();
  if (std::size_t{states_} * stride_ > 0xFFFF) {
    throw Error(ErrorCode::unsupported, "scanner table above 64 K entries");
  }
  for (std::uint16_t& next : next_) next = static_cast<std::uint16_t>(next * stride_);
  for (std::size_t row = 0; row < next_.size(); row += stride_) {
    for (std::uint32_t c = 0; c < kClassColumn; ++c) {
      const std::size_t from = row + kClassColumn + automaton.map().of(c);
      next_[row + c] = next_[from];
      flags_[row + c] = flags_[from];
    }
  }
  compile_pairs();
}

// Moore: states with the same flags and equivalent successors are one. State 0 stays the start.
void FastScanner::minimise() {
  std::vector<std::uint16_t> block(states_, 0);
  std::size_t blocks = 1;
  for (;;) {
    std::map<std::vector<std::uint32_t>, std::uint16_t> names;
    std::vector<std::uint16_t> refined(states_);
    for (std::uint32_t s = 0; s < states_; ++s) {
      std::vector<std::uint32_t> signature = {block[s]};
      for (std::uint32_t c = 0; c < automaton_.symbols(); ++c) {
        const std::size_t at = s * stride_ + kClassColumn + c;
        signature.push_back(static_cast<std::uint32_t>(flags_[at]) << 16 | block[next_[at]]);
      }
      refined[s] = names.emplace(std::move(signature), static_cast<std::uint16_t>(names.size()))
                       .first->second;
    }
    block = std::move(refined);
    if (names.size() == blocks) break;
    blocks = names.size();
  }
  std::vector<std::uint16_t> next(blocks * stride_);
  std::vector<std::uint8_t> flags(blocks * stride_);
  for (std::uint32_t s = 0; s < states_; ++s) {
    for (std::uint32_t c = 0; c < stride_; ++c) {
      next[block[s] * stride_ + c] = block[next_[s * stride_ + c]];
      flags[block[s] * stride_ + c] = flags_[s * stride_ + c];
    }
  }
  next_ = std::move(next);
  flags_ = std::move(flags);
  states_ = static_cast<std::uint32_t>(blocks);
}

std::size_t FastScanner::scan(std::string_view text, std::uint32_t* at, std::uint32_t* ends,
                              std::size_t cap, std::uint64_t* steps) const {
  if (*at >= text.size() || cap == 0) return 0;
  // A step writes two ends at most; the last places of a small array could stay unused, but never
  // all of it.
  std::uint32_t spare[kSmallest];
  Cursor cursor{
      *at, *at, *at, 0, 0, 0, cap < kSmallest ? spare : ends, cap < kSmallest ? kSmallest : cap};
  while (!cursor.done && cursor.count + 2 <= cursor.room) {
    ascii_blocks(text, cursor);
    // At least one character.
    wide_run(text, cursor);
    step(text, cursor);
  }
  if (steps != nullptr) *steps += cursor.read;
  std::size_t count = cursor.count;
  if (cap < kSmallest) {
    count = std::min(count, cap);
    std::copy_n(spare, count, ends);
  }
  if (count > 0) *at = ends[count - 1];
  return count;
}

// One character, or the end of the text.
void FastScanner::step(std::string_view text, Cursor& c) const {
  std::size_t column = kClassColumn + automaton_.end_symbol();
  std::uint32_t length = 0;
  if (c.pos < text.size()) {
    const unicode::Decoded d = unicode::decode(text.data() + c.pos);
    column = kClassColumn + automaton_.map().of(d.code_point);
    length = d.length;
  }
  const std::size_t entry = c.row + column;
  const std::uint8_t flag = flags_[entry];
  c.row = next_[entry];
  ++c.read;
  if ((flag & kRare) != 0 && !rare(flag, c)) return;
  c.out[c.count] = c.pos;
  c.count += flag & kHere;
  c.done = length == 0;
  c.last = c.pos;
  c.pos += length;
}

// Characters of two and three bytes, and single ASCII ones between them. Stops before what is rare,
// before four bytes, and where the text ends or turns to ASCII.
void FastScanner::wide_run(std::string_view text, Cursor& c) const {
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  const std::uint16_t* const next = next_.data();
  const std::uint8_t* const flags = flags_.data();
  const ClassMap& map = automaton_.map();
  std::uint32_t* const out = c.out;
  std::uint32_t pos = c.pos, last = c.last;
  std::size_t row = c.row, count = c.count;
  const std::uint32_t begin = pos;
  std::uint64_t read = 0;
  while (count < c.room - 2 && text.size() - pos >= 4) {
    const unsigned lead = data[pos];
    std::uint32_t length = 1;
    std::size_t column = lead;
    if (lead >= 0xE0) {
      if (lead >= 0xF0) break;
      column = kClassColumn +
               map.of((lead & 0x0F) << 12 | (data[pos + 1] & 0x3FU) << 6 | (data[pos + 2] & 0x3FU));
      length = 3;
    } else if (lead >= 0x80) {
      column = kClassColumn + map.of((lead & 0x1F) << 6 | (data[pos + 1] & 0x3FU));
      length = 2;
    } else if (data[pos + 1] < 0x80) {
      break;
    }
    const std::size_t entry = row + column;
    const std::uint8_t flag = flags[entry];
    if ((flag & kRare) != 0) [[unlikely]]
      break;
    row = next[entry];
    out[count] = pos;
    count += flag;
    last = pos;
    pos += length;
    ++read;
  }
  if (pos == begin) return;
  c.read += read;
  c.pos = pos;
  c.last = last;
  c.row = row;
  c.count = count;
}

// False when the scan starts over at an earlier place.
bool FastScanner::rare(std::uint8_t flag, Cursor& c) const {
  if ((flag & kGiveBack) != 0) {
    c.out[c.count++] = c.recorded;
    c.pos = c.recorded;
    return false;
  }
  if ((flag & kBefore) != 0) c.out[c.count++] = c.last;
  if ((flag & kRemember) != 0) c.recorded = c.last;
  return true;
}

// The table over pairs: two entries of the plain one, run one after the other.
void FastScanner::compile_pairs() {
  std::vector<std::uint32_t> classes;  // those of ASCII characters
  for (std::uint32_t c = 0; c < kClassColumn; ++c) {
    const std::uint32_t symbol = automaton_.map().of(c);
    const auto at = std::find(classes.begin(), classes.end(), symbol);
    pair_second_[c] = static_cast<std::uint16_t>(at - classes.begin());
    if (at == classes.end()) classes.push_back(symbol);
  }
  const std::size_t k = classes.size();
  if (std::size_t{states_} * k * k > 0xFFFF) return;
  pair_stride_ = static_cast<std::uint32_t>(k * k);
  for (std::uint32_t c = 0; c < kClassColumn; ++c)
    pair_first_[c] = static_cast<std::uint16_t>(pair_second_[c] * k);
  pair_next_.resize(states_ * k * k);
  pair_flags_.resize(pair_next_.size());
  for (std::size_t s = 0; s < states_; ++s) {
    for (std::size_t a = 0; a < k; ++a) {
      const std::size_t one = s * stride_ + kClassColumn + classes[a];
      for (std::size_t b = 0; b < k; ++b) {
        const std::size_t two = next_[one] + kClassColumn + classes[b];
        const unsigned both = flags_[one] | flags_[two];
        unsigned ends = (flags_[one] & kBefore) != 0 ? 1 : 0;
        ends |= (flags_[one] & kHere) != 0 || (flags_[two] & kBefore) != 0 ? 2 : 0;
        ends |= (flags_[two] & kHere) != 0 ? 4 : 0;
        const std::size_t entry = s * pair_stride_ + a * k + b;
        pair_flags_[entry] =
            static_cast<std::uint8_t>((both & (kGiveBack | kRemember)) != 0 ? kRarePair : ends);
        pair_next_[entry] = static_cast<std::uint16_t>(next_[two] / stride_ * pair_stride_);
      }
    }
  }
}

namespace {

constexpr std::size_t kBlock = 8;

bool ascii_block(const char* data) {
  std::uint64_t block = 0;
  std::memcpy(&block, data, kBlock);
  return (block & 0x8080808080808080) == 0;
}

}  // namespace

// Runs of ASCII characters.
void FastScanner::ascii_blocks(std::string_view text, Cursor& c) const {
  if (pair_stride_ == 0) return;
  while (c.count + 2 * kBlock <= c.room && text.size() - c.pos >= kBlock &&
         ascii_block(text.data() + c.pos)) {
    // An end before the preceding character is counted as one byte back.
    if (c.pos > 0 && static_cast<unsigned char>(text[c.pos - 1]) < 0x80) {
      pair_blocks(text, c);
      if (c.count + 2 * kBlock > c.room || text.size() - c.pos < 2) return;
    }
    // What a pair does not tell: one character after the other.
    step(text, c);
    if (c.pos < text.size()) step(text, c);
  }
}

// Stops before a pair that is rare and before a block that is not all ASCII.
void FastScanner::pair_blocks(std::string_view text, Cursor& c) const {
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  const std::uint16_t* const next = pair_next_.data();
  const std::uint8_t* const flags = pair_flags_.data();
  std::uint32_t* const out = c.out;
  std::uint32_t pos = c.pos;
  std::size_t row = c.row / stride_ * pair_stride_;
  std::size_t count = c.count;
  bool rare = false;
  while (!rare && count + 2 * kBlock <= c.room && text.size() - pos >= kBlock &&
         ascii_block(text.data() + pos)) {
#pragma GCC unroll 4
    for (unsigned i = 0; i < kBlock / 2; ++i) {
      const std::size_t entry = row + pair_first_[data[pos]] + pair_second_[data[pos + 1]];
      const std::uint8_t flag = flags[entry];
      if (flag == kRarePair) [[unlikely]] {
        rare = true;
        break;
      }
      row = next[entry];
      out[count] = pos - 1;
      count += flag & 1;
      out[count] = pos;
      count += (flag >> 1) & 1;
      out[count] = pos + 1;
      count += flag >> 2;
      pos += 2;
    }
  }
  c.read += pos - c.pos;
  if (pos > c.pos) c.last = pos - 1;
  c.pos = pos;
  c.count = count;
  c.row = row / pair_stride_ * stride_;
}

}  // namespace toktier::pretok
