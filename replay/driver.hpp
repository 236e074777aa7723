#pragma once
// Carries out the steps of sessions, measures each, and compares ids with those of a cold encode.
//
// After a step that is verified two things must equal the ids of Tokenizer::encode() on the whole
// text: the sequence built by applying every patch since the session began, and the snapshot. After
// every step, verified or not, the sequence must have as many ids as the session says. Whatever a
// session throws a cold encode must throw too.

#include "replay/target.hpp"
#include "replay/verification.hpp"
#include "replay/work_session.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace toktier::replay {

/// What the caller of a session gives: the change alone, or the whole text each time.
enum class GivenAs : std::uint8_t { delta, full };

struct ReferenceAnswer {
  bool known = false;   ///< false: the engine is lost, or died on this text
  std::string refusal;  ///< the engine raised an error for the text
  std::vector<TokenId> ids;
};
using Reference = std::function<ReferenceAnswer(const std::string& text)>;

struct StepMeasure {
  WorkOp op = WorkOp::open;
  bool verified = false;    ///< compared with a cold encode
  bool referenced = false;  ///< and with the reference
  bool refused = false;     ///< session and cold encode both refuse the text
  bool no_seam_before = false, no_seam_behind = false, score_moved = false;
  std::uint64_t before = 0, after = 0;      ///< bytes of the text
  std::uint64_t given = 0, encoded = 0;     ///< bytes in the step, bytes the session encoded for it
  std::uint64_t patches = 0, told_ids = 0;  ///< ids in its patches
  std::uint64_t nanoseconds = 0;            ///< in calls of the session
};

struct WorkDifference {
  std::size_t step = 0;  ///< index into WorkSession::steps
  std::string session;
  std::string what;                   ///< patches, snapshot, length, refusal, reference
  std::size_t at = 0;                 ///< first differing token
  std::vector<TokenId> ours, theirs;  ///< from a few tokens before there
  std::size_t ours_count = 0, theirs_count = 0;
  std::string message;  ///< of a refusal
};

/// A session when it was closed, or when the workload ended.
struct SessionEnd {
  std::uint64_t bytes = 0, tokens = 0, memory = 0;
};

struct WorkOutcome {
  std::vector<StepMeasure> steps;  ///< carried out, in order
  std::vector<WorkDifference> differences;
  std::vector<SessionEnd> ends;
  std::uint64_t lost = 0;  ///< steps of sessions that were given up: a difference or a refusal
  bool stopped = false;
};

struct DriverOptions {
  TargetMaker make;
  GivenAs given = GivenAs::delta;
  EncodeOptions cold;  ///< the same as those of the targets, nothing truncated
  Verification verify;
  Reference reference;  ///< may be empty
  const std::atomic<bool>* stop = nullptr;
};

/// One thread. The tokenizer must outlive it.
class Driver {
 public:
  Driver(const Tokenizer& tokenizer, DriverOptions options);
  /// Error{internal} for steps that cannot be (see WorkloadText).
  WorkOutcome run(const WorkSession& work);
  /// The smallest workload found that shows a difference again: the text before in one step and the
  /// step, else the steps up to it.
  std::vector<WorkStep> repro(const WorkSession& work, const WorkDifference& difference);

 private:
  struct Open;
  class Run;

  const Tokenizer& tokenizer_;
  DriverOptions options_;
  Tokenizer::Scratch scratch_, cold_scratch_;
};

}  // namespace toktier::replay
