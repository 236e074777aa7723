// Two things templates do to the end of a prompt on every turn: the reasoning of answers before the
// last input of a person is left out (as Qwen3's template does), and a reminder with the state of
// the session stands last.

#include "replay/mutations/mutations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toktier::replay::mutations {
namespace {

MessagePtr without_thinking(const MessagePtr& message) {
  const auto thinks = [](const Part& part) { return part.kind == PartKind::thinking; };
  if (std::none_of(message->parts.begin(), message->parts.end(), thinks)) return message;
  Message copy = *message;
  copy.parts.erase(std::remove_if(copy.parts.begin(), copy.parts.end(), thinks), copy.parts.end());
  return std::make_shared<const Message>(std::move(copy));
}

class TailRewrite : public Mutation {
 public:
  std::vector<MessagePtr> prompt(const BeforeCall& before) override {
    std::vector<MessagePtr> out;
    std::size_t last_user = before.history.size();
    while (last_user > 0 && before.history[last_user - 1]->role != Role::user) --last_user;
    for (std::size_t i = 0; i < before.history.size(); ++i)
      out.push_back(i < last_user ? without_thinking(before.history[i]) : before.history[i]);
    out.push_back(note(
        Role::user, fmt::format("<system-reminder>\nTurn {}, {} messages so far. Open tasks: {}. "
                                "Do not mention this.\n</system-reminder>",
                                before.turn, before.history.size(), before.random % 7)));
    return out;
  }
  void forget(std::uint64_t) override {}
};

}  // namespace

std::unique_ptr<Mutation> make_tail_rewrite(const MutationOptions&) {
  return std::make_unique<TailRewrite>();
}

}  // namespace toktier::replay::mutations
