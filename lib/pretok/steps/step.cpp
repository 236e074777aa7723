#include "pretok/steps/step.hpp"

#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::pretok {

char32_t mapped_character(unsigned char byte) {
  // Printable Latin-1 stands for itself; the other bytes, in order, for U+0100, U+0101, ...
  const auto printable = [](unsigned b) {
    return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE && b <= 0xFF);
  };
  if (printable(byte)) return byte;
  char32_t next = 0x100;
  for (unsigned b = 0; b < byte; ++b) next += printable(b) ? 0 : 1;
  return next;
}

void SplitStep::apply(ChainState& state) const {
  std::vector<Piece> out;
  std::vector<Piece> parts;
  SplitScratch scratch;
  out.reserve(state.pieces.size());
  const std::string_view text = state.text.text();
  std::string mapped;
  std::vector<std::uint32_t> byte_at;  // by offset in `mapped`: bytes of the piece before it
  for (const Piece& piece : state.pieces) {
    const std::string_view own = text.substr(piece.begin, piece.end - piece.begin);
    parts.clear();
    if (state.byte_mapped) {
      mapped.clear();
      byte_at.clear();
      for (std::uint32_t i = 0; i < own.size(); ++i) {
        unicode::append_utf8(mapped, mapped_character(static_cast<unsigned char>(own[i])));
        byte_at.resize(mapped.size(), i);
      }
      byte_at.push_back(static_cast<std::uint32_t>(own.size()));
      split(mapped, parts, scratch);
      for (Piece& part : parts) part = {byte_at[part.begin], byte_at[part.end]};
    } else {
      split(own, parts, scratch);
    }
    for (const Piece& part : parts) {
      if (part.begin < part.end) out.push_back({piece.begin + part.begin, piece.begin + part.end});
    }
  }
  state.pieces.swap(out);
}

void PatternStep::split(std::string_view text, std::vector<Piece>& parts,
                        SplitScratch& scratch) const {
  matcher_.find_all(text, scratch);
  apply_behavior(scratch, behavior_, invert_, parts);
}

void apply_behavior(const std::vector<Stretch>& stretches, model::SplitBehavior behavior,
                    bool invert, std::vector<Piece>& parts) {
  using model::SplitBehavior;
  const std::size_t first = parts.size();
  bool previous = false;  // "is a match" of the stretch handled before; false at the start,
                          // whatever stands there
  const auto handle = [&](const Stretch& s, bool join, bool to_the_right) {
    if (join && parts.size() > first) {
      (to_the_right ? parts.back().begin : parts.back().end) = to_the_right ? s.begin : s.end;
    } else {
      parts.push_back({s.begin, s.end});
    }
  };
  switch (behavior) {
    case SplitBehavior::isolated:
      for (const Stretch& s : stretches) parts.push_back({s.begin, s.end});
      break;
    case SplitBehavior::removed:
      for (const Stretch& s : stretches) {
        if (s.match == invert) parts.push_back({s.begin, s.end});
      }
      break;
    case SplitBehavior::contiguous:
      for (const Stretch& s : stretches) {
        const bool match = s.match != invert;
        handle(s, match == previous, false);
        previous = match;
      }
      break;
    case SplitBehavior::merged_with_previous:
      for (const Stretch& s : stretches) {
        const bool match = s.match != invert;
        handle(s, match && !previous, false);
        previous = match;
      }
      break;
    case SplitBehavior::merged_with_next:
      for (std::size_t i = stretches.size(); i-- > 0;) {
        const bool match = stretches[i].match != invert;
        handle(stretches[i], match && !previous, true);
        previous = match;
      }
      std::reverse(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
      break;
  }
}

}  // namespace toktier::pretok
