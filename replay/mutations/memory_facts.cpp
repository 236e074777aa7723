// Facts that a memory retrieved for this turn stand between the instructions and the history: heads
// of earlier messages, drawn anew each turn. Everything behind them moves.

#include "replay/mutations/mutations.hpp"

#include <fmt/format.h>

namespace toktier::replay::mutations {
namespace {

constexpr std::size_t kFacts = 5;

class MemoryFacts : public Mutation {
 public:
  std::vector<MessagePtr> prompt(const BeforeCall& before) override {
    const std::vector<MessagePtr>& history = before.history;
    const std::size_t system = leading_system(history);
    std::vector<MessagePtr> out(history.begin(),
                                history.begin() + static_cast<std::ptrdiff_t>(system));
    if (history.size() > system) {
      std::uint64_t random = before.random;
      std::string text = "Relevant memories:\n";
      const std::size_t facts = 1 + next_random(random) % kFacts;
      for (std::size_t i = 0; i < facts; ++i) {
        const std::size_t at = system + next_random(random) % (history.size() - system);
        text += fmt::format("- {}\n", head_of(*history[at], 40 + next_random(random) % 160));
      }
      out.push_back(note(Role::system, text));
    }
    out.insert(out.end(), history.begin() + static_cast<std::ptrdiff_t>(system), history.end());
    return out;
  }
  void forget(std::uint64_t) override {}
};

}  // namespace

std::unique_ptr<Mutation> make_memory_facts(const MutationOptions&) {
  return std::make_unique<MemoryFacts>();
}

}  // namespace toktier::replay::mutations
