// Each kernel that this processor runs, without a cache, so that every piece goes through it.

#include "bpe/lane_kernels.hpp"
#include "diff/ways/way_parts.hpp"

#include <fmt/format.h>

namespace toktier::diff::ways {
namespace {

class KernelWay final : public Way {
 public:
  explicit KernelWay(const WayRequest& request) : plain_(request, 0) {}

  WayFinding run(const WayText& text) override {
    WayFinding finding;
    for (const bpe::LaneKernel& kernel : bpe::lane_kernels()) {
      if (!kernel.runs_here() || finding.difference) continue;
      const bpe::ForcedLaneKernel forced(kernel);
      const auto ids = plain_.ids(text.text);
      ++finding.comparisons;
      finding.difference = difference_of(fmt::format("lanes-{}", kernel.name), 0,
                                         fmt::format("lanes: {}", kernel.name),
                                         ids ? *ids : std::span<const TokenId>(), text.ids);
    }
    return finding;
  }

 private:
  PlainCall plain_;
};

}  // namespace

std::unique_ptr<Way> make_kernel_way(const WayRequest& request) {
  return std::make_unique<KernelWay>(request);
}

}  // namespace toktier::diff::ways
