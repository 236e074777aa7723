#pragma once
// What latencies should be: "p99:5ms". Value types.

#include "replay/statistics.hpp"

#include <string>
#include <vector>

namespace toktier::replay {

struct Objective {
  double share = 0.99;            ///< of the steps; 1 = all
  std::uint64_t nanoseconds = 0;  ///< within which they end
  std::string text;               ///< as given
  bool met(const Distribution& latencies) const {
    return latencies.count() > 0 && latencies.quantile(share) <= nanoseconds;
  }
};

/// "p50", "p99.9", "max"; then ":" or "<"; then a number with us, ms or s. Error{usage}.
Objective parse_objective(const std::string& text);

/// "FROM:TO:STEP", each above 0: the rates. Error{usage}.
std::vector<double> parse_rates(const std::string& text);

}  // namespace toktier::replay
