#pragma once
// Statistics as records and tables.

#include "replay/replay_totals.hpp"
#include "replay/series_joiner.hpp"
#include "replay/statistics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace toktier::replay_app {

struct NamedStatistics {
  std::string name;  // of the format, or "total"
  replay::Statistics numbers;
  std::optional<replay::ReplayTotals> encoded;  // with a tokenizer that has sessions
};

/// One JSON object (toktier.replay_stats/1). `model` is the fingerprint of the tokenizer that
/// counted, or empty.
std::string statistics_record(const NamedStatistics& row, const replay::SeriesCounts& series,
                              std::uint64_t problems, const std::string& model);
std::string statistics_tables(const std::vector<NamedStatistics>& rows,
                              const replay::SeriesCounts& series);

}  // namespace toktier::replay_app
