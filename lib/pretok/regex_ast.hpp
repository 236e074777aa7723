#pragma once
// The syntax tree of a split pattern: what the parser gives to the compiler. Plain data.

#include "unicode/code_point_set.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::pretok {

inline constexpr std::uint32_t kNoLimit = 0xFFFFFFFF;

enum class NodeKind : std::uint8_t {
  empty,
  set,          // one character of `set`
  concat,       // kids in order
  alternate,    // kids in order of preference
  repeat,       // kids[0], min..max times
  look_ahead,   // kids[0] must (not) match here
  look_behind,  // one character of `set` must (not) stand before; the text start counts as "not"
  atomic,       // kids[0] without giving back
  anchor,
};

enum class AnchorKind : std::uint8_t {
  text_start,
  text_end,
  line_start,
  line_end,
  text_end_or_last_newline,
  word_edge,
  not_word_edge,
};

enum class Greed : std::uint8_t { greedy, lazy, possessive };

struct Node {
  NodeKind kind = NodeKind::empty;
  bool negative = false;
  Greed greed = Greed::greedy;
  AnchorKind anchor = AnchorKind::text_start;
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::uint32_t set = 0;  // index into Ast::sets
  std::vector<std::uint32_t> kids;
};

struct Ast {
  std::vector<Node> nodes;
  std::vector<unicode::CodePointSet> sets;  // no two equal
  std::uint32_t root = 0;

  /// Index of `set` in `sets`, added when it is new.
  std::uint32_t intern(unicode::CodePointSet set);
};

}  // namespace toktier::pretok
