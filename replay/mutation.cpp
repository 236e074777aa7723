#include "replay/mutation.hpp"

#include "replay/mutations/mutations.hpp"
#include "report/nearest_name.hpp"
#include "toktier/error.hpp"

#include <array>

namespace toktier::replay {

std::span<const MutationRow> mutation_table() {
  using namespace mutations;
  static constexpr std::array kRows = {
      MutationRow{"recorded", "as the transcript has it", nullptr, false},
      MutationRow{"tail-rewrite",
                  "reasoning of earlier turns goes, a reminder at the end changes every turn",
                  make_tail_rewrite, false},
      MutationRow{"compaction", "above the budget old history becomes a summary", make_compaction,
                  false},
      MutationRow{"evict-batch", "above the budget old segments become stubs, several at a time",
                  make_evict_batch, false},
      MutationRow{"state-replace", "instructions, a state that is written anew, the last input",
                  make_state_replace, false},
      MutationRow{"memory-facts", "retrieved facts before the history, other ones every turn",
                  make_memory_facts, false},
      MutationRow{"fork-rewind", "answers are taken back and given again, or tried in a fork",
                  nullptr, true},
  };
  return kRows;
}

const MutationRow& find_mutation(std::string_view name) {
  std::vector<std::string> names;
  for (const MutationRow& row : mutation_table()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw Error(ErrorCode::usage, report::unknown_name("mutation", name, names));
}

MessagePtr note(Role role, std::string_view text) {
  Message message;
  message.role = role;
  message.parts.push_back({PartKind::text, std::string(text), "", ""});
  return std::make_shared<const Message>(std::move(message));
}

std::uint64_t bytes_of(const Message& message) {
  std::uint64_t sum = 0;
  for (const Part& part : message.parts) sum += part.text.size();
  return sum;
}

std::size_t leading_system(const std::vector<MessagePtr>& history) {
  std::size_t count = 0;
  while (count < history.size() && history[count]->role == Role::system) ++count;
  return count;
}

std::string head_of(const Message& message, std::size_t limit) {
  std::string text;
  for (const Part& part : message.parts) {
    if (part.kind == PartKind::tools || text.size() >= limit) continue;
    text.append(part.text, 0, limit + 4);
  }
  std::size_t end = std::min(limit, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80)
    --end;
  text.resize(end);
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}  // namespace toktier::replay
