// When the prompt is above the budget, everything between the instructions and the last messages
// becomes one summary; the summary before it goes into the new one.

#include "replay/mutations/mutations.hpp"

#include <fmt/format.h>

namespace toktier::replay::mutations {
namespace {

constexpr std::size_t kLast = 6;  // messages that always stay
constexpr std::size_t kSummaryBytes = 4096;

class Compaction : public Mutation {
 public:
  explicit Compaction(const MutationOptions& options) : budget_(options.budget) {}

  std::vector<MessagePtr> prompt(const BeforeCall& before) override {
    const std::size_t system = leading_system(before.history);
    from_ = std::max(from_, system);
    std::uint64_t bytes = 0;
    for (std::size_t i = from_; i < before.history.size(); ++i)
      bytes += bytes_of(*before.history[i]);
    if (bytes > budget_ && before.history.size() > from_ + kLast) compact(before);
    std::vector<MessagePtr> out(before.history.begin(),
                                before.history.begin() + static_cast<std::ptrdiff_t>(system));
    if (summary_) out.push_back(summary_);
    out.insert(out.end(), before.history.begin() + static_cast<std::ptrdiff_t>(from_),
               before.history.end());
    return out;
  }

  void forget(std::uint64_t kept) override {
    if (kept >= from_) return;
    from_ = 0;
    summary_.reset();
  }

 private:
  void compact(const BeforeCall& before) {
    const std::size_t until = before.history.size() - kLast;
    std::string text =
        fmt::format("This session continues an earlier one. Summary of {} messages:", until);
    if (summary_) text += "\n- " + head_of(*summary_, kSummaryBytes / 4);
    for (std::size_t i = from_; i < until && text.size() < kSummaryBytes; ++i)
      text += fmt::format("\n- {}: {}", name_of(before.history[i]->role),
                          head_of(*before.history[i], 80));
    summary_ = note(Role::user, text);
    from_ = until;
  }

  std::uint64_t budget_;
  std::size_t from_ = 0;  // messages before it are in the summary, or instructions
  MessagePtr summary_;
};

}  // namespace

std::unique_ptr<Mutation> make_compaction(const MutationOptions& options) {
  return std::make_unique<Compaction>(options);
}

}  // namespace toktier::replay::mutations
