#pragma once
// What a timed run gave, as a record and as tables.

#include "apps/replay/replay_report.hpp"
#include "replay/objective.hpp"
#include "replay/open_loop.hpp"

#include <string>
#include <vector>

namespace toktier::replay_app {

struct TimedReport {
  std::string model;
  replay::LoopPlan plan;
  replay::LoopResult result;
  std::uint64_t runs = 0, without_time = 0;
  std::vector<replay::Objective> objectives;
  // Nanoseconds, filled by summarise().
  replay::Distribution latency, service, lateness;
  /// "met", "missed", "saturated" (whatever the latencies), "different", "-" without an objective.
  std::string verdict;
};

void summarise(TimedReport& report);
std::string timed_record(const ReplayFacts& facts, const TimedReport& report);
/// One line for each report, and the latencies of each by step and length of the text.
std::string timed_text(const std::vector<TimedReport>& reports, bool bands);

}  // namespace toktier::replay_app
