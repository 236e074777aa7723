#pragma once
// What the Replace normalizer needs of a regex engine. The room that owns the engine implements it;
// this room is below that one and only holds the interface.

#include "toktier/types.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::normalize {

/// A compiled pattern. Immutable; find() may be called from several threads.
class RegexFinder {
 public:
  virtual ~RegexFinder() = default;
  /// The leftmost match that begins at or after byte `from` of `text`, as the reference engine's
  /// search gives it (look-behind may see text before `from`). Returns false when there is none.
  /// May be an empty match.
  virtual bool find(std::string_view text, std::uint32_t from, Span* match) const = 0;
  /// The character is in no match, and whatever the engine has read before it, reading it tells the
  /// engine the same as the end of the text. False proves nothing.
  virtual bool in_no_match(char32_t) const { return false; }
  /// All matches of the reference's iteration over the whole text, in order: each search goes on at
  /// the end of the last match, and an empty match right behind a match is passed over. The default
  /// asks find().
  virtual void find_all(std::string_view text, std::vector<Span>& out) const;
};

/// Makes a finder for a pattern; throws Error{unsupported} naming what it cannot run.
using RegexFactory = std::function<std::unique_ptr<const RegexFinder>(const std::string& pattern)>;

}  // namespace toktier::normalize
