#pragma once
// What ways share: places between characters, plain calls, and how a difference is told.

#include "diff/case_random.hpp"
#include "diff/ways/way.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff::ways {

/// Byte offsets at which characters begin, and the text's size. The text is well-formed.
std::vector<std::size_t> borders_of(std::string_view text);

/// Nothing when equal; `how` tells the steps taken.
std::optional<WayDifference> difference_of(std::string stage, std::size_t byte,
                                           const std::string& how, std::span<const TokenId> actual,
                                           std::span<const TokenId> expected);

/// The plain call: Tokenizer::encode() with a scratch space of its own.
class PlainCall {
 public:
  explicit PlainCall(const WayRequest& request,
                     std::size_t cache_bytes = Tokenizer::kDefaultCacheBytes);
  /// Valid until the next call. Nothing when the text is refused.
  std::optional<std::span<const TokenId>> ids(std::string_view text);
  const EncodeOptions& options() const { return options_; }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  EncodeOptions options_;
  Tokenizer::Scratch scratch_;
  Encoding encoding_;
};

}  // namespace toktier::diff::ways
