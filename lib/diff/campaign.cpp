#include "diff/campaign.hpp"

#include "diff/digest.hpp"
#include "diff/lane.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace toktier::diff {
namespace {

void add(std::map<std::string, std::uint64_t>& to,
         const std::map<std::string, std::uint64_t>& from) {
  for (const auto& [key, value] : from) to[key] += value;
}

/// Shared by the lanes.
class Run {
 public:
  Run(const CampaignPlan& plan, DocumentSource& source) : plan_(plan), source_(source) {}

  void lane() {
    try {
      Lane lane(plan_);
      Block block;
      while (take(block)) give(block.sequence, lane.run(block, described()));
      const std::lock_guard lock(results_mutex_);
      seen_.resize(std::max(seen_.size(), lane.ids_seen().size()));
      for (std::size_t id = 0; id < lane.ids_seen().size(); ++id) {
        if (lane.ids_seen()[id]) seen_[id] = true;
      }
      verdict_.end_id = lane.end_id();
      verdict_.restarts += lane.restarts();
    } catch (...) {
      const std::lock_guard lock(results_mutex_);
      if (!error_) error_ = std::current_exception();
      ended_ = true;
    }
  }

  Verdict finish() {
    if (error_) std::rethrow_exception(error_);
    verdict_.stopped = stopped_;
    verdict_.distinct_ids =
        static_cast<std::uint64_t>(std::count(seen_.begin(), seen_.end(), true));
    verdict_.ids_seen = std::move(seen_);
    if (plan_.store != nullptr) verdict_.store_damaged += plan_.store->damaged();
    for (auto& [reason, count] : source_.left_out()) verdict_.skipped[reason] += count;
    verdict_.failed_inputs = source_.failed();
    return std::move(verdict_);
  }

 private:
  bool take(Block& block) {
    const std::lock_guard lock(source_mutex_);
    block.documents.clear();
    block.sequence = next_block_;
    if (plan_.stop != nullptr && plan_.stop->load()) {
      stopped_ = true;
      ended_ = true;
    }
    std::size_t bytes = 0;
    while (!ended_ && block.documents.size() < plan_.block_documents && bytes < plan_.block_bytes) {
      Document document;
      if (!source_.next(document)) {
        ended_ = true;
        // A source that waits for input is woken by a stop and ends early.
        if (plan_.stop != nullptr && plan_.stop->load()) stopped_ = true;
        break;
      }
      bytes += document.text.size();
      block.documents.push_back(std::move(document));
    }
    position_ = source_.position();
    if (block.documents.empty()) return false;
    ++next_block_;
    return true;
  }

  std::map<std::string, std::uint64_t> described() {
    const std::lock_guard lock(results_mutex_);
    return described_;
  }

  void give(std::uint64_t sequence, BlockResult result) {
    const std::lock_guard lock(results_mutex_);
    waiting_.emplace(sequence, std::move(result));
    for (auto next = waiting_.find(merged_); next != waiting_.end();
         next = waiting_.find(merged_)) {
      if (!verdict_.limit_reached) merge(next->second);
      waiting_.erase(next);
      ++merged_;
    }
  }

  /// In block order, under the lock.
  void merge(BlockResult& result) {
    add(verdict_, result.sums);
    add(described_, result.described);
    for (Divergence& divergence : result.divergences) {
      // A lane that did not know of earlier blocks describes more than one that did: those are
      // dropped, as if it had known.
      std::uint64_t& taken = taken_[divergence.cls];
      if (taken >= plan_.described_per_class) continue;
      ++taken;
      if (!divergence.minimal.empty() &&
          !minimal_.emplace(divergence.cls, divergence.minimal).second)
        continue;
      if (plan_.on_divergence) plan_.on_divergence(divergence);
    }
    if (plan_.max_differences > 0 && verdict_.different_documents >= plan_.max_differences) {
      verdict_.limit_reached = true;
      ended_ = true;
    }
    if (plan_.on_progress) plan_.on_progress(verdict_, position_);
  }

  const CampaignPlan& plan_;
  DocumentSource& source_;
  std::mutex source_mutex_;
  std::uint64_t next_block_ = 0;
  std::atomic<std::uint64_t> position_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> stopped_ = false;

  std::mutex results_mutex_;
  std::map<std::uint64_t, BlockResult> waiting_;
  std::uint64_t merged_ = 0;
  std::map<std::string, std::uint64_t> described_, taken_;
  std::set<std::pair<std::string, std::string>> minimal_;
  std::vector<bool> seen_;
  Verdict verdict_;
  std::exception_ptr error_;
};

}  // namespace

std::uint64_t Verdict::checks() const {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : checked) sum += count;
  return sum;
}

std::uint64_t Verdict::difference_count() const {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : differences) sum += count;
  return sum;
}

void add(Verdict& to, const Verdict& from) {
  to.documents += from.documents;
  to.bytes += from.bytes;
  to.code_points += from.code_points;
  to.ids += from.ids;
  add(to.checked, from.checked);
  add(to.skipped, from.skipped);
  add(to.differences, from.differences);
  for (const auto& [name, counts] : from.groups) {
    GroupCounts& group = to.groups[name];
    group.documents += counts.documents;
    group.different += counts.different;
    group.bytes += counts.bytes;
    group.ours += counts.ours;
    group.theirs += counts.theirs;
  }
  to.different_documents += from.different_documents;
  to.both_refused += from.both_refused;
  to.quoted_agree += from.quoted_agree;
  to.quoted_differ += from.quoted_differ;
  for (const std::string& id : from.quoted_differing) {
    if (to.quoted_differing.size() < 50) to.quoted_differing.push_back(id);
  }
  to.store_hits += from.store_hits;
  to.store_misses += from.store_misses;
  to.store_damaged += from.store_damaged;
  to.restarts += from.restarts;
  to.failed_inputs += from.failed_inputs;
  to.end_id = std::max(to.end_id, from.end_id);
  to.ids_seen.resize(std::max(to.ids_seen.size(), from.ids_seen.size()));
  for (std::size_t id = 0; id < from.ids_seen.size(); ++id)
    if (from.ids_seen[id]) to.ids_seen[id] = true;
  to.distinct_ids =
      static_cast<std::uint64_t>(std::count(to.ids_seen.begin(), to.ids_seen.end(), true));
  const std::uint64_t both[] = {to.answer_digest, from.answer_digest};
  to.answer_digest =
      digest_bytes({reinterpret_cast<const char*>(both), sizeof both});  // NOLINT: bytes of numbers
  to.ours_seconds += from.ours_seconds;
  to.theirs_seconds += from.theirs_seconds;
}

Verdict run_campaign(const CampaignPlan& plan, DocumentSource& source) {
  const auto start = std::chrono::steady_clock::now();
  Run run(plan, source);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < plan.lanes; ++i) threads.emplace_back([&run] { run.lane(); });
  run.lane();
  for (std::thread& thread : threads) thread.join();
  Verdict verdict = run.finish();
  verdict.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

double rule_of_three(std::uint64_t trials) {
  return trials == 0 ? 1.0 : std::min(1.0, 3.0 / static_cast<double>(trials));
}

}  // namespace toktier::diff
