// The prompt holds no history: the instructions (the skill), a state that is written anew before
// each call, and what came in since the last answer.

#include "replay/mutations/mutations.hpp"

#include <fmt/format.h>

namespace toktier::replay::mutations {
namespace {

constexpr std::size_t kFacts = 12;

class StateReplace : public Mutation {
 public:
  std::vector<MessagePtr> prompt(const BeforeCall& before) override {
    const std::vector<MessagePtr>& history = before.history;
    const std::size_t system = leading_system(history);
    std::size_t last = history.size();
    while (last > system && history[last - 1]->role != Role::assistant) --last;
    std::string state = fmt::format("# State\nturn: {}\nmessages: {}\n", before.turn, last);
    for (std::size_t i = last > system + kFacts ? last - kFacts : system; i < last; ++i)
      state +=
          fmt::format("- {} {}: {}\n", i, name_of(history[i]->role), head_of(*history[i], 120));
    std::vector<MessagePtr> out(history.begin(),
                                history.begin() + static_cast<std::ptrdiff_t>(system));
    out.push_back(note(Role::user, state));
    out.insert(out.end(), history.begin() + static_cast<std::ptrdiff_t>(last), history.end());
    return out;
  }
  void forget(std::uint64_t) override {}
};

}  // namespace

std::unique_ptr<Mutation> make_state_replace(const MutationOptions&) {
  return std::make_unique<StateReplace>();
}

}  // namespace toktier::replay::mutations
