#include "encode/regex_adapter.hpp"

#include "pretok/matcher.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::encode {
namespace {

class MatcherFinder final : public normalize::RegexFinder {
 public:
  explicit MatcherFinder(pretok::Matcher matcher) : matcher_(std::move(matcher)) {}

  bool find(std::string_view text, std::uint32_t from, Span* match) const override {
    if (const pretok::Automaton* automaton = matcher_.automaton()) {
      for (std::uint32_t at = from; at < text.size();
           at += unicode::sequence_length(static_cast<unsigned char>(text[at]))) {
        std::uint32_t reach = 0;
        const std::uint32_t end = pretok::automaton_match(*automaton, text, at, &reach);
        if (end == pretok::kNoMatch) continue;
        *match = {at, end};
        return true;
      }
      return false;
    }
    // The slow engine works on whole texts; matches never depend on what stands before `from`.
    std::vector<pretok::Stretch> stretches;
    matcher_.find_all(text.substr(from), stretches);
    const auto hit =
        std::find_if(stretches.begin(), stretches.end(), [](const auto& s) { return s.match; });
    if (hit == stretches.end()) return false;
    *match = {from + hit->begin, from + hit->end};
    return true;
  }

 private:
  pretok::Matcher matcher_;
};

}  // namespace

normalize::RegexFactory onig_regex_factory() {
  return [](const std::string& pattern) -> std::unique_ptr<const normalize::RegexFinder> {
    return std::make_unique<MatcherFinder>(
        pretok::Matcher::compile(pattern, pretok::onig_dialect()));
  };
}

}  // namespace toktier::encode
