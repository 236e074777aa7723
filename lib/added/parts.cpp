// Where a text may be cut before literals are searched.
//
// Why it is exact: the search goes from left to right and leaves a match at its end. When no
// literal lies across a place, every match ends before it or begins behind it, so the search
// arrives there with nothing pending, as a search does that begins there. What a match takes beyond
// itself is white space (strip flags) and a look at its neighbours (single_word): the conditions
// below keep both on their side. A literal that touches the place is excluded too, so that the text
// on both sides belongs to one segment.

#include "added/added_tokens.hpp"

#include <algorithm>

namespace toktier::added {

bool AddedTokens::parts_at(const LiteralTrie& trie, const Reach& reach, std::string_view text,
                           std::size_t at, std::size_t clear, std::size_t* clear_from) const {
  const std::size_t longest = reach.longest;
  if (at < longest || at >= text.size()) return false;
  // Literals that begin further left end before `begin` + longest.
  std::size_t begin = at - std::min(at, longest + clear);
  *clear_from = std::min(begin + longest, at);
  const auto inside = [&](std::size_t byte) {
    return (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80;
  };
  while (*clear_from < at && inside(*clear_from)) ++*clear_from;
  bool free = true;
  for (; begin <= at && free; ++begin) {
    if (!trie.begins(static_cast<unsigned char>(text[begin]))) continue;
    std::size_t end = begin;
    const bool open =
        trie.walk(text, begin, [&](std::size_t length, std::uint32_t) { end = begin + length; });
    free = !open && (begin < at ? end < at : end == at);
    if (end > begin) *clear_from = std::max(*clear_from, end);
  }
  if (!free) return false;
  // White space that a literal takes on its right ends at a character that is none.
  if (reach.rstrip) {
    if (char_before_in(text, at, *edges_.space)) return false;
    std::size_t taken = *clear_from;
    while (taken > 0 && inside(taken)) --taken;
    *clear_from = std::min(at, std::max(*clear_from, run_end(text, taken, *edges_.space)));
  }
  if (!reach.lstrip || !char_at_in(text, at, *edges_.space)) return true;
  // That on its left reaches back to `at` when the literal begins in the run or directly behind it.
  const std::size_t end = run_end(text, at, *edges_.space);
  if (end == text.size()) return false;
  for (std::size_t begin_in_run = at + 1; begin_in_run <= end; ++begin_in_run) {
    bool found = false;
    const bool open =
        trie.walk(text, begin_in_run, [&](std::size_t, std::uint32_t) { found = true; });
    if (found || open) return false;
  }
  return true;
}

}  // namespace toktier::added
