#pragma once
// From samples to the numbers that are shown. Pure functions.

#include "apps/bench/measure.hpp"

#include <optional>
#include <vector>

namespace toktier::bench {

struct Spread {
  double median = 0, least = 0, most = 0;
  std::size_t count = 0;
};
/// Nothing for no values.
std::optional<Spread> spread(std::vector<double> values);

/// Seconds over the samples of a lane; `later` is the median of each sample's later passes.
struct LaneSummary {
  std::optional<Spread> load_wall, load_cpu, first_wall, first_cpu, later_wall, later_cpu,
      call_wall, call_cpu;
  /// Seconds of this lane / seconds of ours in the same round: how many times as fast we are.
  std::optional<Spread> times_first_wall, times_first_cpu, times_later_wall, times_later_cpu;
};
LaneSummary summarise(const Lane& lane, const Lane& ours);

/// MB (1e6 bytes) a second.
double rate(std::uint64_t bytes, double seconds);

}  // namespace toktier::bench
