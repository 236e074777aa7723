#include "pretok/fast_scanner.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <bit>
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
    : automaton_(automaton), stride_(std::bit_ceil(automaton.symbols())) {
  std::map<Folded, std::uint16_t> numbers = {{{0, kNone}, 0}};
  std::vector<Folded> states = {{0, kNone}};
  for (std::size_t s = 0; s < states.size(); ++s) {
    next_.resize((s + 1) * stride_);
    flags_.resize((s + 1) * stride_);
    for (std::uint32_t c = 0; c < automaton.symbols(); ++c) {
      const Step step = fold(states[s], c);
      const auto [at, fresh] = numbers.emplace(step.to, static_cast<std::uint16_t>(states.size()));
      if (fresh) states.push_back(step.to);
      next_[s * stride_ + c] = at->second;
      flags_[s * stride_ + c] = step.flags;
    }
  }
  states_ = static_cast<std::uint32_t>(states.size());
  minimise();
  if (std::size_t{states_} * stride_ > 0xFFFF) {
    throw Error(ErrorCode::unsupported, "scanner table above 64 K entries");
  }
  for (std::uint16_t& next : next_) next = static_cast<std::uint16_t>(next * stride_);
  for (std::uint32_t c = 0; c < 128; ++c) ascii_[c] = automaton.map().of(c);
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
      for (std::uint32_t c = 0; c < stride_; ++c) {
        const std::size_t at = s * stride_ + c;
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
  const char* const data = text.data();
  const auto size = static_cast<std::uint32_t>(text.size());
  const std::uint16_t* const next = next_.data();
  const std::uint8_t* const flags = flags_.data();
  const ClassMap& map = automaton_.map();
  std::size_t count = 0;
  std::uint32_t pos = *at;
  std::uint32_t last = pos;  // where the last character began
  std::uint32_t recorded = pos;
  std::size_t row = 0;
  std::uint64_t read = 0;
  if (pos >= size || cap == 0) return 0;
  // A step writes two ends at most; the last of a small array may stay unused, but never all of it.
  std::uint32_t spare[4];
  std::uint32_t* const out = cap < 4 ? spare : ends;
  const std::size_t room = cap < 4 ? 4 : cap;
  while (count + 2 <= room) {
    std::size_t symbol = automaton_.end_symbol();
    std::uint32_t length = 0;
    if (pos < size) [[likely]] {
      const auto byte = static_cast<unsigned char>(data[pos]);
      if (byte < 0x80) {
        symbol = ascii_[byte];
        length = 1;
      } else {
        const unicode::Decoded d = unicode::decode(data + pos);
        symbol = map.of(d.code_point);
        length = d.length;
      }
    }
    const std::size_t entry = row + symbol;
    const std::uint8_t flag = flags[entry];
    row = next[entry];
    ++read;
    if ((flag & (kBefore | kGiveBack)) != 0) [[unlikely]] {
      if ((flag & kGiveBack) != 0) {
        out[count++] = recorded;
        pos = recorded;
        continue;
      }
      out[count++] = last;
    }
    out[count] = pos;
    count += flag & kHere;
    recorded = (flag & kRemember) != 0 ? last : recorded;
    if (pos >= size) break;
    last = pos;
    pos += length;
  }
  if (steps != nullptr) *steps += read;
  if (out != ends) {
    if (count > cap) count = cap;
    for (std::size_t i = 0; i < count; ++i) ends[i] = spare[i];
  }
  if (count > 0) *at = ends[count - 1];
  return count;
}

}  // namespace toktier::pretok
