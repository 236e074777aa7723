// The text given in parts: trusted ones are joined exactly; of untrusted ones no control token
// comes. No added token at all does, while a plain call without control tokens still finds the
// ordinary ones: where it does, there is nothing to compare with.

#include "diff/ways/way_parts.hpp"
#include "encode/tokenizer_impl.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace toktier::diff::ways {
namespace {

class PartsWay final : public Way {
 public:
  explicit PartsWay(const WayRequest& request)
      : tokenizer_(request.tokenizer),
        all_(with(request, SpecialMode::all)),
        none_(with(request, SpecialMode::none)) {
    for (const auto& entry : tokenizer_->impl().pipeline->added().table().entries()) {
      if (entry.id >= ordinary_.size()) ordinary_.resize(entry.id + 1);
      ordinary_[entry.id] = !tokenizer_->is_special(entry.id);
    }
  }

  WayFinding run(const WayText& text) override {
    finding_ = {};
    const std::vector<std::size_t> borders = borders_of(text.text);
    for (unsigned round = 0; round < text.rounds; ++round) {
      CaseRandom random(text.seed, round);
      cuts_.assign(1, 0);
      for (std::uint64_t k = random.below(5); k > 0; --k)
        cuts_.push_back(borders[random.below(borders.size())]);
      cuts_.push_back(text.text.size());
      std::sort(cuts_.begin(), cuts_.end());
      if (!go(text.text, true, all_) || !go(text.text, false, none_)) break;
    }
    return std::move(finding_);
  }

 private:
  static WayRequest with(WayRequest request, SpecialMode mode) {
    request.options.special = mode;
    return request;
  }

  bool go(std::string_view text, bool trusted, PlainCall& plain) {
    std::vector<Part> parts;
    for (std::size_t i = 1; i < cuts_.size(); ++i)
      parts.push_back({text.substr(cuts_[i - 1], cuts_[i] - cuts_[i - 1]), trusted});
    EncodeOptions options = plain.options();
    options.special = SpecialMode::all;
    std::vector<TokenId> actual;
    try {
      actual = tokenizer_->encode_parts(parts, options).ids;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      return true;  // files whose control tokens cannot be told: refused by both calls
    }
    const auto expected = plain.ids(text);
    if (!expected) return true;
    const auto is_ordinary = [&](TokenId id) { return id < ordinary_.size() && ordinary_[id]; };
    if (!trusted && std::ranges::any_of(*expected, is_ordinary)) return true;
    ++finding_.comparisons;
    finding_.difference =
        difference_of(trusted ? "trusted" : "untrusted", 0,
                      fmt::format("in parts that end at bytes {}",
                                  fmt::join(cuts_.begin() + 1, cuts_.end(), ", ")),
                      actual, *expected);
    return !finding_.difference;
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
  PlainCall all_, none_;
  std::vector<bool> ordinary_;  // by id: an added token that is no control token
  std::vector<std::size_t> cuts_;
  WayFinding finding_;
};

}  // namespace

std::unique_ptr<Way> make_parts_way(const WayRequest& request) {
  return std::make_unique<PartsWay>(request);
}

}  // namespace toktier::diff::ways
