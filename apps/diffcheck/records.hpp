#pragma once
// Records of a run: manifest, divergence, verdict, summary (schemas in results/schema/).

#include "apps/common/program.hpp"
#include "apps/diffcheck/options.hpp"
#include "diff/campaign.hpp"

#include <string>
#include <vector>

namespace toktier::diffcheck {

/// One model against one reference.
struct Row {
  std::string model;   // as given
  std::string status;  // equal, different, refused, unavailable, nothing checked, stopped
  std::string reason;  // why there was no comparison
  diff::EngineIdentity engine, reference;
  diff::Verdict verdict;
  cli::ExitCode code = cli::ExitCode::ok;
};

/// Which unit of a plan found something.
struct UnitFacts {
  std::uint64_t unit = 0;
  std::string source;  // corpus or generator, as the plan names it
};

struct RunFacts {
  std::string id;       // names the run in its records
  std::string started;  // UTC, ISO 8601
  std::vector<std::string> command;
  const RunOptions* options = nullptr;
  const cli::CommonOptions* common = nullptr;
};

std::string manifest_record(const RunFacts& facts);
std::string divergence_record(const RunFacts& facts, const Row& row,
                              const diff::Divergence& divergence, const UnitFacts* unit = nullptr);
std::string verdict_record(const RunFacts& facts, const Row& row);
std::string summary_record(const RunFacts& facts, const std::vector<Row>& rows, cli::ExitCode code,
                           double seconds);

/// The command line that shows the divergence again.
std::string repro_line(const RunFacts& facts, const Row& row, const diff::Divergence& divergence);

/// For a person: the rows as a table, then skips, classes and bounds.
std::string rows_text(const std::vector<Row>& rows);
std::string divergence_text(const RunFacts& facts, const Row& row,
                            const diff::Divergence& divergence);

}  // namespace toktier::diffcheck
