#include "added/edge_rules.hpp"

#include "unicode/utf8.hpp"

#include <cstdint>

namespace toktier::added {

namespace {

bool is_trail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The character at `at`; length 0 when the bytes there are not one character.
unicode::Decoded read(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {0, 0};
  const std::uint32_t length = unicode::sequence_length(lead);
  if (text.size() - at < length) return {0, 0};
  for (std::uint32_t i = 1; i < length; ++i) {
    if (!is_trail(text[at + i])) return {0, 0};
  }
  return unicode::decode(text.data() + at);
}

/// The character that ends at `end` (> 0); length 0 when the bytes there are not one character.
unicode::Decoded read_back(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && end - at < 4 && is_trail(text[at])) --at;
  const unicode::Decoded c = read(text.substr(0, end), at);
  return c.length == end - at ? c : unicode::Decoded{0, 0};
}

}  // namespace

bool char_at_in(std::string_view text, std::size_t at, const unicode::CodePointSet& set) {
  if (at >= text.size()) return false;
  const unicode::Decoded c = read(text, at);
  return c.length != 0 && set.contains(c.code_point);
}

bool char_before_in(std::string_view text, std::size_t end, const unicode::CodePointSet& set) {
  if (end == 0) return false;
  const unicode::Decoded c = read_back(text, end);
  return c.length != 0 && set.contains(c.code_point);
}

std::size_t run_end(std::string_view text, std::size_t at, const unicode::CodePointSet& set) {
  while (at < text.size()) {
    const unicode::Decoded c = read(text, at);
    if (c.length == 0 || !set.contains(c.code_point)) break;
    at += c.length;
  }
  return at;
}

std::size_t run_begin(std::string_view text, std::size_t end, std::size_t floor,
                      const unicode::CodePointSet& set) {
  while (end > floor) {
    const unicode::Decoded c = read_back(text, end);
    if (c.length == 0 || !set.contains(c.code_point)) break;
    end -= c.length;
  }
  return end;
}

}  // namespace toktier::added
