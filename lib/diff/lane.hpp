#pragma once
// One lane of a campaign: takes a block, asks both engines, compares. Used by campaign.cpp only.

#include "diff/campaign.hpp"
#include "diff/check_table.hpp"

#include <memory>
#include <string>
#include <vector>

namespace toktier::diff {

/// What one block adds to the campaign.
struct BlockResult {
  Verdict sums;
  std::vector<Divergence> divergences;  // at most described_per_class for each class
  std::map<std::string, std::uint64_t> described;
};

class Lane {
 public:
  explicit Lane(const CampaignPlan& plan);

  /// `described` = how many divergences of each class are described already in earlier blocks, as
  /// far as known.
  BlockResult run(const Block& block, const std::map<std::string, std::uint64_t>& described);

  const std::vector<bool>& ids_seen() const { return ids_seen_; }
  std::uint64_t end_id() const { return ours_->identity().end_id; }
  std::uint64_t restarts() const { return ours_->restarts() + (theirs_ ? theirs_->restarts() : 0); }

 private:
  struct Work;
  void ask(Work& work);
  void compare(Work& work, std::size_t i);
  void compare_decoded(Work& work);
  void go_ways(Work& work);
  std::uint64_t seed_of(std::string_view text) const;
  std::optional<Difference> way_difference(std::string_view text, std::uint32_t part,
                                           Window* window);
  void note_ids(Work& work, const std::vector<TokenId>& ids);
  void note_groups(Work& work, std::size_t i, bool different);
  void note_quoted(Work& work, std::size_t i);
  void report(Work& work, std::size_t i, std::uint32_t part);
  /// `seen`: shown when the difference does not come again (null: nothing).
  void describe(Work& work, std::size_t i, std::uint32_t part, const Difference& difference,
                const Window* seen = nullptr);
  std::optional<Difference> difference_of(std::string_view text, std::uint32_t part,
                                          Window* window);
  std::optional<Difference> decode_difference(std::string_view text, Window* window);
  Answer full_answer(Engine& engine, std::string_view text);

  const CampaignPlan& plan_;
  std::unique_ptr<Engine> ours_, theirs_;
  std::uint32_t shared_ = 0;  // checks both can answer
  struct WayLane {
    const CheckRow* row;
    std::unique_ptr<ways::Way> way;  // null: not gone, for this reason
    std::string refusal;
  };
  std::vector<WayLane> ways_;
  std::vector<bool> ids_seen_;
};

}  // namespace toktier::diff
