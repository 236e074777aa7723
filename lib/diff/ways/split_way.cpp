// The text encoded as two texts, left and right of every place that is declared safe to cut.

#include "diff/ways/way_parts.hpp"
#include "encode/seams.hpp"
#include "encode/tokenizer_impl.hpp"

#include <fmt/format.h>

namespace toktier::diff::ways {
namespace {

constexpr std::size_t kAllPlaces = 64;  // characters; of longer texts places are drawn

class SplitWay final : public Way {
 public:
  explicit SplitWay(const WayRequest& request)
      : tokenizer_(request.tokenizer),
        pipeline_(*tokenizer_->impl().pipeline),
        filter_(pipeline_.added().filter(request.options.special)),
        scratch_(pipeline_.scratch(std::size_t{1} << 16)) {}
  std::string refusal() const override {
    const std::string& why = pipeline_.seams().refusal();
    return why.empty() ? "" : "no place is safe: " + why;
  }

  WayFinding run(const WayText& text) override {
    finding_ = {};
    whole_.clear();
    pipeline_.run(text.text, filter_, {}, *scratch_, whole_);
    const std::vector<std::size_t> borders = borders_of(text.text);
    if (borders.size() <= kAllPlaces) {
      for (std::size_t i = 1; i + 1 < borders.size(); ++i)
        if (!at(text.text, borders[i - 1], borders[i])) return std::move(finding_);
      return std::move(finding_);
    }
    for (unsigned round = 0; round < 8 * text.rounds; ++round) {
      const std::size_t i = CaseRandom(text.seed, round).below(borders.size() - 1);
      // The next safe place, wherever it is.
      if (!at(text.text, borders[i], text.text.size() - 1)) break;
    }
    return std::move(finding_);
  }

 private:
  // The first seam in (from, to]; false when the ids of the parts are others.
  bool at(std::string_view text, std::size_t from, std::size_t to) {
    const encode::Seams& seams = pipeline_.seams();
    const std::size_t place = seams.first(text, from, to, *scratch_);
    if (place == encode::Seams::kNone || place == 0 || place >= text.size()) return true;
    parts_.clear();
    encode::Part left, right;
    left.ahead = seams.ahead(text, place);
    left.text = text.substr(0, place + left.ahead);
    left.open_right = true;
    pipeline_.run_part(left, filter_, *scratch_, parts_);
    right.text = text.substr(place);
    right.open_left = true;
    right.carry = left.carry;
    pipeline_.run_part(right, filter_, *scratch_, parts_);
    ++finding_.comparisons;
    finding_.difference =
        difference_of("seam", place, fmt::format("cut at byte {}", place), parts_.ids, whole_.ids);
    return !finding_.difference;
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
  const encode::Pipeline& pipeline_;
  added::SpecialFilter filter_;
  std::unique_ptr<encode::EncodeScratch> scratch_;
  Encoding whole_, parts_;
  WayFinding finding_;
};

}  // namespace

std::unique_ptr<Way> make_split_way(const WayRequest& request) {
  return std::make_unique<SplitWay>(request);
}

}  // namespace toktier::diff::ways
