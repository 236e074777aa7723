#pragma once
// How sizes are distributed: by median and 90th percentile, or as they were met. Value type.

#include "replay/statistics.hpp"

#include <cstdint>
#include <memory>

namespace toktier::replay {

/// Gives the size below which a share of all sizes lies; a uniform share gives a random size.
class SizeLaw {
 public:
  /// Lognormal: half of all sizes lie below `median`, nine tenths below `p90`. Error{usage} unless
  /// 0 < median <= p90.
  SizeLaw(double median, double p90);
  /// As met; Error{usage} when there are none.
  explicit SizeLaw(const Distribution& met);

  std::uint64_t at(double share) const;

 private:
  double log_median_ = 0, sigma_ = 0;
  std::shared_ptr<const Distribution> met_;
};

/// The number below which a standard normal number lies with probability `share`, to 9 digits.
double normal_quantile(double share);

}  // namespace toktier::replay
