#include "encode/regex_adapter.hpp"

#include "pretok/matcher.hpp"
#include "pretok/neighbours.hpp"

#include <algorithm>

namespace toktier::encode {
namespace {

class MatcherFinder final : public normalize::RegexFinder {
 public:
  explicit MatcherFinder(pretok::Matcher matcher) : matcher_(std::move(matcher)) {
    if (matcher_.automaton() != nullptr)
      barriers_ = pretok::NeighbourRule::barriers(*matcher_.automaton());
  }

  bool in_no_match(char32_t c) const override {
    return !barriers_.empty() && barriers_[matcher_.automaton()->map().of(c)];
  }

  void find_all(std::string_view text, std::vector<Span>& out) const override {
    std::vector<pretok::Stretch> stretches;
    matcher_.find_all(text, stretches);
    for (const pretok::Stretch& s : stretches)
      if (s.match) out.push_back({s.begin, s.end});
  }

  // A match may depend on what stands before it (anchors), so the whole text is always searched.
  bool find(std::string_view text, std::uint32_t from, Span* match) const override {
    std::vector<Span> all;
    find_all(text, all);
    const auto hit = std::find_if(all.begin(), all.end(), [&](Span s) { return s.begin >= from; });
    if (hit == all.end()) return false;
    *match = *hit;
    return true;
  }

 private:
  pretok::Matcher matcher_;
  std::vector<bool> barriers_;  // by class; empty: no automaton
};

}  // namespace

normalize::RegexFactory onig_regex_factory() {
  return [](const std::string& pattern) -> std::unique_ptr<const normalize::RegexFinder> {
    return std::make_unique<MatcherFinder>(
        pretok::Matcher::compile(pattern, pretok::onig_dialect()));
  };
}

}  // namespace toktier::encode
