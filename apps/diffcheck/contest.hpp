#pragma once
// One model, the engine under test and one reference, ready for any number of campaigns. Engines
// are kept from one to the next: a worker process starts once for each lane.

#include "apps/common/model_path.hpp"
#include "apps/common/program.hpp"
#include "apps/diffcheck/options.hpp"
#include "diff/answer_store.hpp"
#include "diff/campaign.hpp"
#include "diff/engine_table.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace toktier::diffcheck {

/// In place of a reference's name: all checks compare the engine with itself.
inline constexpr std::string_view kItself = "itself";

/// The references that the options name: those of --against, else auto, or kItself when every check
/// is a way.
std::vector<std::string> references_of(const RunOptions& options);

/// A tokenizer file, loaded when one of the engines runs our code.
struct LoadedModel {
  /// Throws what loading throws. `references` may hold kItself.
  LoadedModel(const std::string& name, const RunOptions& options,
              const std::vector<std::string>& references);

  std::string name;
  std::shared_ptr<const Tokenizer> tokenizer;  // may be null
  std::optional<cli::ModelPath> path;
};

class Contest {
 public:
  /// Makes the first pair of engines, so that a refusal is known before any document is read.
  /// Throws what that throws. `reference` is a row of the engine table, or kItself. All arguments
  /// must outlive the object.
  Contest(const RunOptions& options, const cli::CommonOptions& common, const LoadedModel& model,
          const std::string& reference);
  /// Against recorded ids.
  Contest(const RunOptions& options, const cli::CommonOptions& common, const LoadedModel& model,
          const std::string& recorded, const std::vector<diff::Document>& quoted);
  ~Contest();

  diff::EngineIdentity engine() const;
  diff::EngineIdentity reference() const;  // only its row when there is none
  /// Everything but the callbacks. The object must outlive the campaign.
  diff::CampaignPlan plan();

 private:
  class Pool;
  void start(const std::string& reference, std::function<std::unique_ptr<diff::Engine>()> theirs);

  const RunOptions& options_;
  const cli::CommonOptions& common_;
  const LoadedModel& model_;
  diff::EngineRequest request_;
  std::shared_ptr<Pool> ours_, theirs_;
  diff::EngineIdentity engine_, reference_;
  std::optional<diff::AnswerStore> store_;
};

}  // namespace toktier::diffcheck
