#pragma once
// The slow twin of the pre-tokenizers: Boost.Regex (a backtracking engine) over the ORIGINAL
// pattern strings, with character traits that ask the probed tables. Shares nothing with
// lib/pretok. About 10 MB/s.
//
// Covers chains of Split, Digits, Punctuation and ByteLevel without a prefix blank; a regular Split
// after ByteLevel would see mapped characters and is refused. Not thread-safe: one object a thread.

#include "model/spec.hpp"
#include "toktier/types.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toktier::oracle {

class SplitOracle {
 public:
  /// Throws Error{unsupported} when a step or a construct of a pattern is not covered.
  SplitOracle(const std::vector<model::PreTokenizer>& steps, model::Reference reference);
  SplitOracle(SplitOracle&&) noexcept;
  SplitOracle& operator=(SplitOracle&&) noexcept;
  ~SplitOracle();

  /// The pieces of `text` (well-formed UTF-8), as byte ranges. Nothing when the engine gave up on
  /// it (it throws when a match grows too complex); such texts must be counted as skipped.
  std::optional<std::vector<Span>> split(std::string_view text) const;

  /// Whether the chain begins with a search from left to right whose matches are pieces of it.
  /// Then the pieces of a text are those of head() and those of the text behind it: split() goes on
  /// there with a search that sees nothing of the text before, and the later steps work inside each
  /// piece.
  bool has_heads() const;
  struct Head {
    std::vector<std::pair<std::size_t, std::size_t>> pieces;  // in characters
    std::size_t end;   // of the first match; the whole text when there is none
    std::size_t read;  // characters the engine read; texts of the same length that begin with
                       // these have the same head
  };
  /// With has_heads(): what the first match and the gap before it become. False: gave up.
  bool head(const std::u32string& text, Head& out) const;

 private:
  struct Step;
  using Pieces = std::vector<std::pair<std::size_t, std::size_t>>;
  void apply(std::size_t first_step, const std::u32string& text, Pieces& pieces) const;
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace toktier::oracle
