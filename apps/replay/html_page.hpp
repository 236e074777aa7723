#pragma once
// A replay as one page for a person: charts as inline SVG, tables, nothing outside the file.

#include "apps/replay/replay_report.hpp"

#include <string>
#include <vector>

namespace toktier::replay_app {

std::string html_page(const ReplayFacts& facts, const std::vector<ReplayRow>& rows, double seconds);

}  // namespace toktier::replay_app
