#pragma once
// Workloads carried out at planned times, whether or not the ones before have ended (open loop).
//
// The plan is made first. Latency runs from the planned start to the end of a step, so a slow step
// makes the waiting of those behind it part of their latency: nothing is left out because nobody
// could ask at that time. Service time is that of the calls of the session alone; lateness is the
// difference, waiting for the thread and for the processor.

#include "replay/target.hpp"
#include "replay/work_session.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace toktier::replay {

struct LoopPlan {
  enum class Arrival : std::uint8_t {
    poisson,  ///< at random, so many a second on average
    uniform,  ///< at equal distances
    trace,    ///< at the times of the transcripts
  };
  Arrival arrival = Arrival::poisson;
  double rate = 100;          ///< steps a second; not of `trace`
  double time_scale = 1;      ///< of `trace`: the times are divided by it
  double seconds = 10;        ///< planned steps end then; of `trace` 0 = with the last
  double warmup_seconds = 0;  ///< steps planned before are carried out, not counted
  std::size_t open = 64;      ///< sessions under way at once; not of `trace`
  std::uint64_t seed = 0;
  unsigned threads = 1;
};

struct PlannedStep {
  std::int64_t start_ns = 0;
  std::size_t run = 0, step = 0;  ///< indexes into Schedule::runs and WorkSession::steps
};

struct Schedule {
  /// Each run is a session from its beginning: an index into the works. When all works were begun
  /// they begin again.
  std::vector<std::size_t> runs;
  std::vector<PlannedStep> steps;  ///< by start; no closes, which follow what is before them
  std::uint64_t without_time = 0;  ///< sessions left out: `trace`, and no step has a time
};

/// Depends on works, plan and seed alone. Error{usage} when nothing can be planned.
Schedule plan_loop(const std::vector<WorkSession>& works, const LoopPlan& plan);

struct TimedStep {
  WorkOp op = WorkOp::open;
  std::uint64_t before = 0;  ///< bytes of the text
  std::int64_t planned_ns = 0, began_ns = 0, ended_ns = 0;
};

struct LoopResult {
  std::vector<TimedStep> steps;  ///< those that count, by planned start
  std::uint64_t warmup_steps = 0, refused = 0;
  std::int64_t planned_end_ns = 0, ended_ns = 0;
  bool stopped = false;
  /// Ids by all patches of a session against a cold encode of its last text, after the run.
  std::uint64_t verified_sessions = 0, different_sessions = 0;
  std::string first_difference;  ///< session and token

  /// The work ended late by more than a fiftieth of the time: the backlog grew.
  bool saturated() const;
};

/// Sessions are dealt out to threads, and stay with theirs. `stop` ends it early.
LoopResult run_loop(const Tokenizer& tokenizer, const TargetMaker& make, const EncodeOptions& cold,
                    const std::vector<WorkSession>& works, const Schedule& schedule,
                    const LoopPlan& plan, const std::atomic<bool>* stop);

}  // namespace toktier::replay
