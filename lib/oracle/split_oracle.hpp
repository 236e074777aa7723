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

 private:
  struct Step;
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace toktier::oracle
