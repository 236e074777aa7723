#include "diff/ways/way_parts.hpp"

#include "toktier/error.hpp"

#include <algorithm>

namespace toktier::diff::ways {

std::vector<std::size_t> borders_of(std::string_view text) {
  std::vector<std::size_t> borders;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) borders.push_back(i);
  borders.push_back(text.size());
  return borders;
}

std::optional<WayDifference> difference_of(std::string stage, std::size_t byte,
                                           const std::string& how, std::span<const TokenId> actual,
                                           std::span<const TokenId> expected) {
  if (std::ranges::equal(actual, expected)) return std::nullopt;
  Answer ours, theirs;
  ours.ids.assign(actual.begin(), actual.end());
  theirs.ids.assign(expected.begin(), expected.end());
  const auto difference = first_difference(kIds, ours, theirs);
  WayDifference found;
  found.stage = std::move(stage);
  found.byte = byte;
  found.index = difference->index;
  found.window = show_window({}, *difference, ours, theirs);
  found.window.ours += "  (" + how + ")";
  found.window.theirs += "  (the plain call)";
  return found;
}

PlainCall::PlainCall(const WayRequest& request, std::size_t cache_bytes)
    : tokenizer_(request.tokenizer), scratch_(*tokenizer_, cache_bytes) {
  options_.special = request.options.special;
  options_.add_special = request.options.add_special;
  options_.truncate = request.options.truncate;
}

std::optional<std::span<const TokenId>> PlainCall::ids(std::string_view text) {
  try {
    tokenizer_->encode(text, options_, scratch_, encoding_);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    return std::nullopt;
  }
  return std::span<const TokenId>(encoding_.ids);
}

}  // namespace toktier::diff::ways
