// Counts without ids, with and without a limit.

#include "diff/ways/way_parts.hpp"

#include <fmt/format.h>

namespace toktier::diff::ways {
namespace {

class CountWay final : public Way {
 public:
  explicit CountWay(const WayRequest& request)
      : tokenizer_(request.tokenizer), plain_(request), scratch_(*tokenizer_) {}

  WayFinding run(const WayText& text) override {
    finding_ = {};
    const std::size_t n = text.ids.size();
    same("count", tokenizer_->count(text.text, plain_.options(), scratch_), n, "count()");
    for (unsigned round = 0; round < text.rounds; ++round) {
      CaseRandom random(text.seed, round);
      // Near the count as often as anywhere.
      std::size_t limit = random.below(2 * n + 2);
      if (random.below(2) == 0) limit = n + random.below(3) - (n > 0 ? 1 : 0);
      same("limit", tokenizer_->count_up_to(text.text, limit, plain_.options()),
           std::min(n, limit + 1), fmt::format("count_up_to({})", limit));
      same("fits", tokenizer_->fits(text.text, limit, plain_.options()) ? 1 : 0, n <= limit ? 1 : 0,
           fmt::format("fits({})", limit));
    }
    return std::move(finding_);
  }

 private:
  void same(const char* stage, std::size_t actual, std::size_t expected, const std::string& how) {
    ++finding_.comparisons;
    if (finding_.difference || actual == expected) return;
    WayDifference difference;
    difference.stage = stage;
    difference.window = {fmt::format("{} gives {}", how, actual), fmt::format("{}", expected)};
    finding_.difference = std::move(difference);
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
  PlainCall plain_;
  Tokenizer::Scratch scratch_;
  WayFinding finding_;
};

}  // namespace

std::unique_ptr<Way> make_count_way(const WayRequest& request) {
  return std::make_unique<CountWay>(request);
}

}  // namespace toktier::diff::ways
