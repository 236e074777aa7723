#pragma once
// What a replay found, as records (toktier.replay_run/1) and as tables.

#include "apps/common/program.hpp"
#include "apps/replay/options.hpp"
#include "apps/replay/replay_models.hpp"
#include "replay/replay_totals.hpp"
#include "report/json_writer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::replay_app {

struct ReplayFacts {
  std::string run, started;
  std::vector<std::string> command;
  const Options* options = nullptr;
  const cli::CommonOptions* common = nullptr;
};

ReplayFacts make_facts(const Options& options, const cli::CommonOptions& common,
                       const std::vector<std::string>& command);
/// The fields that every record of a run begins with.
void begin_record(report::JsonWriter& json, const ReplayFacts& facts, const char* kind);

/// One model and policy.
struct ReplayRow {
  std::string model, policy;
  const ReplayModel* loaded = nullptr;  // null: missing or refused
  std::string status, reason;           // equal, different, not verified, refused, ...
  cli::ExitCode code = cli::ExitCode::ok;
  replay::ReplayTotals totals;
};

/// A difference with the steps that show it.
struct ShownDifference {
  const ReplayModel* model = nullptr;
  const replay::WorkSession* work = nullptr;
  const replay::WorkDifference* difference = nullptr;
  std::uint64_t number = 0;  // from 1, in this run
  std::vector<replay::WorkStep> repro;
  std::string repro_file;  // empty: not written
};

std::string manifest_record(const ReplayFacts& facts);
std::string row_record(const ReplayFacts& facts, const ReplayRow& row);
std::string difference_record(const ReplayFacts& facts, const ShownDifference& shown);
std::string summary_record(const ReplayFacts& facts, const std::vector<ReplayRow>& rows,
                           std::uint64_t problems, double seconds, cli::ExitCode code);

/// Some lines for a person, with a command that shows it again.
std::string difference_text(const ReplayFacts& facts, const ShownDifference& shown);
std::string rows_text(const std::vector<ReplayRow>& rows);

}  // namespace toktier::replay_app
