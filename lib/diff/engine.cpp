#include "diff/engine.hpp"

#include <fmt/format.h>

#include <array>

namespace toktier::diff {

std::string AnswerOptions::text() const {
  static constexpr std::array<std::string_view, 4> kModes = {"default", "none", "all", "list"};
  return fmt::format("special={} add_special={:d} truncate={:d}",
                     kModes[static_cast<std::size_t>(special)], add_special, truncate);
}

Answer answer_one(Engine& engine, std::string_view text, Question question) {
  question.digest_only = false;
  const std::string_view texts[] = {text};
  std::vector<Answer> answers;
  engine.ask(texts, question);
  engine.receive(answers);
  return std::move(answers.at(0));
}

}  // namespace toktier::diff
