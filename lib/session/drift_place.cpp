#include "session/drift_place.hpp"

#include <algorithm>

namespace toktier::session {

Drift compare(std::span<const TokenId> given, std::span<const TokenId> expected) {
  Drift drift;
  drift.tokens = given.size();
  drift.token = static_cast<std::size_t>(
      std::mismatch(given.begin(), given.end(), expected.begin(), expected.end()).first -
      given.begin());
  drift.canonical = drift.token == given.size() && drift.token == expected.size();
  if (drift.canonical) return drift;
  const auto rest = [&](std::span<const TokenId> ids) {
    const auto from = ids.subspan(drift.token);
    const auto some = from.first(std::min(Drift::kShown, from.size()));
    return std::vector<TokenId>(some.begin(), some.end());
  };
  drift.given = rest(given);
  drift.expected = rest(expected);
  return drift;
}

std::size_t begin_in(const encode::Pipeline& pipeline, std::string_view text,
                     const added::SpecialFilter& filter, std::span<const Span> untrusted,
                     encode::EncodeScratch& scratch, std::size_t token, std::size_t before) {
  if (token < before) return 0;
  encode::EncodeWants wants;
  wants.spans = true;
  wants.untrusted.ranges = untrusted;
  Encoding out;
  pipeline.run(text, filter, wants, scratch, out);
  return token - before < out.spans.size() ? out.spans[token - before].begin : text.size();
}

}  // namespace toktier::session
