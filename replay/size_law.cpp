#include "replay/size_law.hpp"

#include "toktier/error.hpp"

#include <algorithm>
#include <cmath>

namespace toktier::replay {
namespace {

constexpr double kNormalP90 = 1.2815515655446004;
constexpr double kMost = 1e12;

double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace

double normal_quantile(double share) {
  share = std::clamp(share, 1e-12, 1 - 1e-12);
  double low = -8, high = 8;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (normal_below(middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

SizeLaw::SizeLaw(double median, double p90) {
  if (!(median > 0 && p90 >= median && p90 < kMost))
    throw Error(ErrorCode::usage, "a median and a 90th percentile not below it are wanted");
  log_median_ = std::log(median);
  sigma_ = (std::log(p90) - log_median_) / kNormalP90;
}

SizeLaw::SizeLaw(const Distribution& met) : met_(std::make_shared<const Distribution>(met)) {
  if (met.count() == 0) throw Error(ErrorCode::usage, "no sizes to go by");
}

std::uint64_t SizeLaw::at(double share) const {
  if (met_) return met_->quantile(share);
  const double size = std::exp(log_median_ + sigma_ * normal_quantile(share));
  return static_cast<std::uint64_t>(std::min(size, kMost));
}

}  // namespace toktier::replay
