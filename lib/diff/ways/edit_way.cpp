// The text made out of another one by an edit in the middle. Before that the other one is forked;
// the fork must keep its ids, be cut back, and become the text by update().

#include "diff/ways/changing_text.hpp"
#include "diff/ways/hazards.hpp"
#include "diff/ways/way_parts.hpp"
#include "report/escape.hpp"

#include <fmt/format.h>

namespace toktier::diff::ways {
namespace {

constexpr std::size_t kAllRanges = 6;  // characters

class EditWay final : public Way {
 public:
  explicit EditWay(const WayRequest& request)
      : request_(request),
        refusal_(session_refusal(request)),
        plain_(request),
        scratch_(ChangingText::scratch_for(request)),
        hazards_(hazards_of(*request.tokenizer)) {}
  std::string refusal() const override { return refusal_; }

  WayFinding run(const WayText& text) override {
    finding_ = {};
    borders_ = borders_of(text.text);
    const std::size_t n = borders_.size() - 1;
    if (n <= kAllRanges) {
      CaseRandom random(text.seed, 0);
      for (std::size_t b = 0; b <= n; ++b)
        for (std::size_t e = b; e <= n; ++e)
          if (!go(text, borders_[b], borders_[e], Fineness::finest, random))
            return std::move(finding_);
      return std::move(finding_);
    }
    for (unsigned round = 0; round < text.rounds; ++round) {
      CaseRandom random(text.seed, round);
      const auto fineness = static_cast<Fineness>(random.below(3));
      const std::size_t b = random.below(n + 1);
      const std::size_t longest = random.below(4) == 0 ? n - b : std::min<std::size_t>(n - b, 8);
      const std::size_t e = b + random.below(longest + 1);
      if (!go(text, borders_[b], borders_[e], fineness, random)) break;
    }
    return std::move(finding_);
  }

 private:
  // What stands in the other text in place of the bytes [begin, end) of this one.
  std::string other(const WayText& text, CaseRandom& random) const {
    std::string out;
    for (std::uint64_t k = random.below(4); k > 0; --k) {
      if (random.below(4) == 0) {  // characters of the text itself
        const std::size_t i = random.below(borders_.size());
        const std::size_t j = std::min(borders_.size() - 1, i + 1 + random.below(6));
        out += text.text.substr(borders_[i], borders_[j] - borders_[i]);
      } else {
        out += hazards_[random.below(hazards_.size())];
      }
    }
    return out;
  }

  bool go(const WayText& text, std::size_t begin, std::size_t end, Fineness fineness,
          CaseRandom& random) {
    const std::string put = other(text, random);
    std::string before(text.text.substr(0, begin));
    before += put;
    before += text.text.substr(end);
    const auto plain = plain_.ids(before);
    if (!plain) return true;  // a text that the plain call refuses: no session has it
    const std::vector<TokenId> before_ids(plain->begin(), plain->end());
    ChangingText session(request_, fineness, *scratch_);
    session.append(before);
    const auto same = [&](const char* stage, const ChangingText& changed,
                          std::span<const TokenId> expected) {
      ++finding_.comparisons;
      const std::string how =
          fmt::format("bytes [{}, {}) of \"{}\" became \"{}\"", begin, begin + put.size(),
                      report::escape_preview(before, 200),
                      report::escape_preview(text.text.substr(begin, end - begin), 200));
      finding_.difference = difference_of(stage, begin, how, changed.ids(), expected);
      if (!finding_.difference)
        finding_.difference = difference_of(stage, begin, how, changed.snapshot(), expected);
      return !finding_.difference;
    };
    if (!same("open", session, before_ids)) return false;
    ChangingText fork = session.fork();
    session.replace(begin, begin + put.size(), text.text.substr(begin, end - begin));
    if (!same("edit", session, text.ids)) return false;
    if (!same("fork", fork, before_ids)) return false;
    std::size_t keep = random.below(before.size() + 1);
    while (keep < before.size() && (static_cast<unsigned char>(before[keep]) & 0xC0) == 0x80)
      ++keep;
    ChangingText second = fork.fork();
    second.rewind(keep);
    if (const auto kept = plain_.ids(std::string_view(before).substr(0, keep)))
      if (!same("rewind", second, *kept)) return false;
    fork.update(text.text);
    return same("update", fork, text.ids);
  }

  WayRequest request_;
  std::string refusal_;
  PlainCall plain_;
  std::unique_ptr<encode::EncodeScratch> scratch_;
  std::vector<std::string> hazards_;
  std::vector<std::size_t> borders_;
  WayFinding finding_;
};

}  // namespace

std::unique_ptr<Way> make_edit_way(const WayRequest& request) {
  return std::make_unique<EditWay>(request);
}

}  // namespace toktier::diff::ways
