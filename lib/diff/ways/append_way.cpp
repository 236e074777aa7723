// The text appended in steps: after each of them the ids are those of the text so far.

#include "diff/ways/changing_text.hpp"
#include "diff/ways/way_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace toktier::diff::ways {
namespace {

constexpr std::size_t kAllWays = 5;      // characters; 2^(n-1) ways to cut
constexpr std::size_t kAllCuts = 12;     // characters; n-1 ways to cut once
constexpr std::size_t kCompared = 2048;  // bytes; longer beginnings are compared now and then

class AppendWay final : public Way {
 public:
  explicit AppendWay(const WayRequest& request)
      : request_(request),
        refusal_(session_refusal(request)),
        plain_(request),
        scratch_(ChangingText::scratch_for(request)) {}
  std::string refusal() const override { return refusal_; }

  WayFinding run(const WayText& text) override {
    finding_ = {};
    borders_ = borders_of(text.text);
    const std::size_t n = borders_.size() - 1;
    if (n >= 1 && n <= kAllWays) {
      for (std::size_t set = 0; set < std::size_t{1} << (n - 1); ++set) {
        cuts_.clear();
        for (std::size_t i = 1; i < n; ++i)
          if (set >> (i - 1) & 1) cuts_.push_back(borders_[i]);
        if (!go(text, Fineness::finest, 0)) return std::move(finding_);
      }
      return std::move(finding_);
    }
    for (std::size_t i = 1; i < n && n <= kAllCuts; ++i) {
      cuts_.assign(1, borders_[i]);
      if (!go(text, Fineness::finest, 0)) return std::move(finding_);
    }
    for (unsigned round = 0; round < text.rounds && n > 1; ++round) {
      CaseRandom random(text.seed, round);
      const auto fineness = static_cast<Fineness>(random.below(3));
      cuts_.clear();
      // Some cuts anywhere, each with a row of small steps behind it.
      for (std::uint64_t k = 1 + random.below(4); k > 0; --k) {
        std::size_t at = 1 + random.below(n - 1);
        for (std::uint64_t steps = 1 + random.below(4); steps > 0 && at < n; --steps) {
          cuts_.push_back(borders_[at]);
          at += 1 + random.below(3);
        }
      }
      std::sort(cuts_.begin(), cuts_.end());
      cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
      if (!go(text, fineness, random.next())) break;
    }
    return std::move(finding_);
  }

 private:
  // False when a difference was found.
  bool go(const WayText& text, Fineness fineness, std::uint64_t luck) {
    ChangingText session(request_, fineness, *scratch_);
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= cuts_.size(); ++k) {
      const std::size_t end = k == cuts_.size() ? text.text.size() : cuts_[k];
      session.append(text.text.substr(begin, end - begin));
      if (end < text.text.size() && end > kCompared && (luck >> (k & 63) & 7) != 0) {
        begin = end;
        continue;
      }
      const auto expected = end == text.text.size()
                                ? std::optional<std::span<const TokenId>>(text.ids)
                                : plain_.ids(text.text.substr(0, end));
      if (!expected) return true;  // the beginning alone is refused: nothing to compare with
      ++finding_.comparisons;
      finding_.difference = difference_of("append", begin, how(begin), session.ids(), *expected);
      if (!finding_.difference && end == text.text.size())
        finding_.difference =
            difference_of("snapshot", begin, how(begin), session.snapshot(), *expected);
      if (finding_.difference) return false;
      begin = end;
    }
    return true;
  }
  std::string how(std::size_t begin) const {
    return fmt::format("appended at bytes {}; the last at {}", fmt::join(cuts_, ", "), begin);
  }

  WayRequest request_;
  std::string refusal_;
  PlainCall plain_;
  std::unique_ptr<encode::EncodeScratch> scratch_;
  std::vector<std::size_t> borders_, cuts_;
  WayFinding finding_;
};

}  // namespace

std::unique_ptr<Way> make_append_way(const WayRequest& request) {
  return std::make_unique<AppendWay>(request);
}

}  // namespace toktier::diff::ways
