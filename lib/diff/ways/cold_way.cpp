// Without a cache, with a fresh one, and with that one again.

#include "diff/ways/way_parts.hpp"

namespace toktier::diff::ways {
namespace {

class ColdWay final : public Way {
 public:
  explicit ColdWay(const WayRequest& request) : request_(request), without_(request, 0) {}

  WayFinding run(const WayText& text) override {
    finding_ = {};
    if (!same("no cache", without_, text)) return std::move(finding_);
    PlainCall fresh(request_, std::size_t{1} << 18);
    if (same("cold", fresh, text)) same("warm", fresh, text);
    return std::move(finding_);
  }

 private:
  bool same(const char* stage, PlainCall& call, const WayText& text) {
    const auto ids = call.ids(text.text);
    ++finding_.comparisons;
    finding_.difference =
        difference_of(stage, 0, stage, ids ? *ids : std::span<const TokenId>(), text.ids);
    return !finding_.difference;
  }

  WayRequest request_;
  PlainCall without_;
  WayFinding finding_;
};

}  // namespace

std::unique_ptr<Way> make_cold_way(const WayRequest& request) {
  return std::make_unique<ColdWay>(request);
}

}  // namespace toktier::diff::ways
