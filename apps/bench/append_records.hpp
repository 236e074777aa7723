#pragma once
// What measure_append() gave, as one record (results/schema/bench_append.schema.json) and as a line
// of a table.

#include "apps/bench/append.hpp"
#include "apps/bench/machine.hpp"
#include "toktier/tokenizer.hpp"

#include <array>
#include <string>
#include <vector>

namespace toktier::bench {

struct AppendReport {
  std::string model;  // as the user named it
  TokenizerInfo info;
  std::string text_name, text_sha256;
  AppendPlan plan;
  AppendMeasurement ours;
  std::vector<PeerAppend> peers;
  std::string program;  // what --version --json prints, without its line end
  Machine machine;
  std::array<double, 3> load_begin{}, load_end{};
  std::string started;
  double seconds = 0;
};

/// One JSON object, no line end.
std::string record(const AppendReport& report);
/// A heading line, and a line for each report.
std::string append_heading();
std::string append_line(const AppendReport& report);

}  // namespace toktier::bench
