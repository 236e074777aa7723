#pragma once
// A campaign: one model, two engines, some checks, a stream of documents.
//
// Lanes (threads) take blocks in turn, each with its own pair of engines; ours works while the
// reference does. Results are put together in block order, so verdict and divergences do not depend
// on the number of lanes.

#include "diff/answer_store.hpp"
#include "diff/compare.hpp"
#include "diff/document.hpp"
#include "diff/engine.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace toktier::diff {

/// Ways drawn for each text that is tried on the way to a small one.
inline constexpr unsigned kShrinkRounds = 32;

struct Divergence {
  Difference difference;
  std::string cls;
  std::string document, origin;
  std::uint64_t bytes = 0;          // of the whole document
  std::uint64_t document_byte = 0;  // as difference.byte, in the document
  // Where it is in its file, as Document has it; text_begin + document_byte is the place.
  std::uint64_t line = 0, record_begin = Document::kNowhere, text_begin = Document::kNowhere;
  std::string input;  // the document, or its part around the place when it is long
  bool input_whole = true;
  std::string minimal;  // smallest text found that fails in the same class; empty when not shrunk
  std::size_t shrink_steps = 0;
  bool shrink_finished = false;
  Window window;  // of the minimal text when there is one, else of the document
};

/// What both sides gave for a group of documents.
struct GroupCounts {
  std::uint64_t documents = 0, different = 0, bytes = 0;
  std::uint64_t ours = 0, theirs = 0;  // ids, of documents that both take
};

/// Numbers of one campaign. Sums over blocks, so equal for any number of lanes.
struct Verdict {
  std::uint64_t documents = 0;  // read
  std::uint64_t bytes = 0;
  std::uint64_t code_points = 0;
  std::uint64_t ids = 0;                         // given by our side
  std::map<std::string, std::uint64_t> checked;  // comparisons made, by check
  std::map<std::string, std::uint64_t> skipped;  // comparisons not made, by "check: reason"
  std::uint64_t failed_inputs = 0;  // files or records left out because they are damaged
  std::map<std::string, std::uint64_t> differences;  // by class
  std::map<std::string, GroupCounts> groups;         // by name; empty unless the plan groups
  std::uint64_t different_documents = 0;
  std::uint64_t both_refused =
      0;  // documents that both sides refuse: agreement, but no comparison of ids
  std::uint64_t quoted_agree = 0,
                quoted_differ = 0;             // ids quoted by the source against the reference
  std::vector<std::string> quoted_differing;   // their document ids, at most 50
  std::uint64_t distinct_ids = 0, end_id = 0;  // vocabulary entries produced by our side
  std::vector<bool> ids_seen;                  // which: distinct_ids of them
  std::uint64_t answer_digest = 0;             // of the ids our side gave, document after document
  std::uint64_t store_hits = 0, store_misses = 0, store_damaged = 0;
  std::uint64_t restarts = 0;
  double ours_seconds = 0, theirs_seconds = 0, wall_seconds = 0;  // summed over lanes; wall is wall
  bool stopped = false;                                           // by the stop flag
  bool limit_reached = false;                                     // by max_differences

  std::uint64_t checks() const;
  std::uint64_t difference_count() const;
};

struct CampaignPlan {
  std::uint32_t parts = kIds;  // bits of the check table
  AnswerOptions options;
  /// For checks that are ways: our tokenizer (null: the engine under test is something else, and
  /// they are skipped), the seed, and how many ways are drawn for each longer document.
  std::shared_ptr<const Tokenizer> tokenizer;
  std::uint64_t seed = 0;
  unsigned rounds = 1;
  unsigned lanes = 1;
  std::size_t block_documents = 4096;
  std::size_t block_bytes = 1U << 20;
  /// Documents in divergence before the campaign ends early; 0 = no limit.
  std::uint64_t max_differences = 1000;
  /// Divergences described in full (with shrinking) for each class; the rest is only counted.
  std::size_t described_per_class = 3;
  std::size_t shrink_steps = 400;  // 0 = do not shrink
  /// Makes the two engines of one lane; called once per lane, from that lane. `theirs` may be empty
  /// when all checks are ways.
  std::function<std::unique_ptr<Engine>()> ours, theirs;
  /// Names of the groups a document belongs to; counted where ids are checked. May be empty.
  std::function<std::vector<std::string>(const Document&)> groups_of;
  AnswerStore* store = nullptr;             // may be null
  const std::atomic<bool>* stop = nullptr;  // may be null; finishes blocks in flight
  /// Called in block order, one at a time.
  std::function<void(const Divergence&)> on_divergence;
  /// Called after every block with the sums so far and the source's position.
  std::function<void(const Verdict&, std::uint64_t position)> on_progress;
};

/// Sums of two campaigns over different documents of one model; the order matters for
/// answer_digest and quoted_differing alone. wall_seconds, stopped and limit_reached stay.
void add(Verdict& to, const Verdict& from);

/// Throws what the engines and the source throw.
Verdict run_campaign(const CampaignPlan& plan, DocumentSource& source);

/// Upper bound of the rate of failures at 95 % when none was seen in `trials` independent ones
/// (rule of three).
double rule_of_three(std::uint64_t trials);

}  // namespace toktier::diff
