// When the prompt is above the budget, the oldest segments (answers of tools first, then anything
// but instructions) become stubs that say what stood there, in one batch, until the prompt is well
// below the budget: one edit in the middle now and then, instead of one every turn.

#include "replay/mutations/mutations.hpp"

#include <fmt/format.h>

namespace toktier::replay::mutations {
namespace {

constexpr std::size_t kLast = 4;  // messages that always stay

class EvictBatch : public Mutation {
 public:
  explicit EvictBatch(const MutationOptions& options) : budget_(options.budget) {}

  std::vector<MessagePtr> prompt(const BeforeCall& before) override {
    while (shown_.size() < before.history.size()) shown_.push_back(before.history[shown_.size()]);
    std::uint64_t bytes = 0;
    for (const MessagePtr& message : shown_) bytes += bytes_of(*message);
    if (bytes > budget_) {
      for (const bool tools_only : {true, false}) evict(bytes, tools_only);
    }
    return shown_;
  }

  void forget(std::uint64_t kept) override {
    if (kept < shown_.size()) shown_.resize(kept);
  }

 private:
  void evict(std::uint64_t& bytes, bool tools_only) {
    const std::uint64_t enough = budget_ / 10 * 7;
    const std::size_t until = shown_.size() > kLast ? shown_.size() - kLast : 0;
    for (std::size_t i = leading_system(shown_); i < until && bytes > enough; ++i) {
      const std::uint64_t size = bytes_of(*shown_[i]);
      if (size < 100 || (tools_only && shown_[i]->role != Role::tool)) continue;
      Message stub = *shown_[i];
      stub.parts.resize(1);
      stub.parts[0].text = fmt::format("[evicted: {} bytes]", size);
      bytes -= size - bytes_of(stub);
      shown_[i] = std::make_shared<const Message>(std::move(stub));
    }
  }

  std::uint64_t budget_;
  std::vector<MessagePtr> shown_;  // the history with stubs
};

}  // namespace

std::unique_ptr<Mutation> make_evict_batch(const MutationOptions& options) {
  return std::make_unique<EvictBatch>(options);
}

}  // namespace toktier::replay::mutations
