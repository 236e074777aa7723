#pragma once
// The folders of a run put together. What comes out depends on the plan and the engines, not on how
// many shards, threads or attempts it took; what does is kept apart (Conduct).

#include "diff/shards/plan.hpp"
#include "diff/shards/unit_result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::diff::shards {

/// One model against one reference over one source.
struct MergedRow {
  std::uint64_t model = 0, source = 0;  // of the plan
  std::string reference;                // as planned
  std::string status;                   // compared, refused, missing (no unit is done)
  std::string reason;
  EngineIdentity engine, with;  // who answered
  std::uint64_t units = 0, done = 0;
  Verdict sums;
};

struct MergedDivergence {
  std::uint64_t unit = 0;         // the first that found it
  std::uint64_t occurrences = 0;  // described ones of this class and minimal form
  std::string id, cls, model, reference;
  std::string record;  // JSON
};

struct ShardState {
  std::string name;  // of the folder
  std::uint64_t shard = 0, shards = 0;
  std::string status, host;  // of state.json; empty when there is none
  std::uint64_t exit_code = 0;
  std::vector<std::string> problems;  // units that could not be run, and why
  std::uint64_t damaged_lines = 0;
  bool torn = false;
};

/// What may differ between two ways to carry out one plan.
struct Conduct {
  std::vector<ShardState> shards;
  std::uint64_t twice = 0;  // units that more than one shard finished, with equal findings
  double unit_seconds = 0;
};

struct Merged {
  Plan plan;
  std::vector<MergedRow> rows;         // in the order of the plan: model, reference, source
  Verdict totals;                      // ids_seen, end_id and answer_digest are of no use here
  std::vector<std::uint64_t> missing;  // units that nobody finished
  std::vector<MergedDivergence> divergences;
  Conduct conduct;
};

/// Reads RUN/shards/*. Error{input} when there are none, when they ran different plans, or when two
/// units of a row met different engines; Error{internal} when a unit has two different findings.
Merged merge_run(const std::string& run);

}  // namespace toktier::diff::shards
