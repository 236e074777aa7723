#pragma once
// What a shard has done, on disk at every moment: a unit is done when its line is complete, and its
// divergences are written before that line. A process that dies anywhere leaves a folder from which
// --resume goes on.

#include "apps/common/program.hpp"
#include "diff/shards/line_log.hpp"
#include "diff/shards/plan.hpp"
#include "diff/shards/unit_result.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace toktier::diffcheck {

class ShardJournal {
 public:
  /// `folder` is locked by the caller. `plan_text` is kept there. Without `resume` the folder must
  /// hold no units; with it what is whole is taken over and the rest dropped. Error{usage} when the
  /// folder belongs to another plan.
  ShardJournal(std::string folder, const diff::shards::Plan& plan, const std::string& plan_text,
               bool resume);

  void begin(std::uint64_t shard, std::uint64_t shards, std::uint64_t assigned,
             const cli::CommonOptions& common, const std::vector<std::string>& command);
  bool done(std::uint64_t unit) const { return done_.count(unit) > 0; }
  void divergence(const std::string& record);
  void finish(const diff::shards::UnitResult& result);
  void problem(const std::string& text);
  /// Writes state.json: running, stopped, finished, failed.
  void state(const std::string& status, cli::ExitCode code);
  /// As in state.json.
  std::string record() const;

  std::uint64_t assigned() const { return assigned_; }
  std::uint64_t done_count() const { return done_.size(); }
  std::uint64_t resumed() const { return resumed_; }
  std::uint64_t differences() const { return differences_; }

 private:
  void take_over();
  void count(const diff::shards::UnitResult& result);

  std::string folder_;
  const diff::shards::Plan& plan_;
  std::optional<diff::shards::LineLog> units_, divergences_;
  std::set<std::uint64_t> done_;
  std::vector<std::string> problems_;
  std::uint64_t shard_ = 0, shards_ = 1, assigned_ = 0, resumed_ = 0;
  std::uint64_t documents_ = 0, checks_ = 0, differences_ = 0;
  std::string started_, status_;
  unsigned jobs_ = 1;
  cli::ExitCode code_ = cli::ExitCode::ok;
  std::vector<std::string> command_;
};

}  // namespace toktier::diffcheck
