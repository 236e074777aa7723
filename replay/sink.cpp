#include "replay/sink.hpp"

#include <fmt/format.h>

#include <array>

namespace toktier::replay {

std::string text_of(const Problem& problem) {
  std::string text = problem.file;
  if (problem.line > 0) text += fmt::format(":{}", problem.line);
  text += ": ";
  if (!problem.field.empty()) text += problem.field + ": ";
  text += problem.message;
  if (!problem.value.empty()) text += fmt::format(" ({})", problem.value);
  return text;
}

std::string_view name_of(Use use) {
  static constexpr std::array<std::string_view, 4> kNames = {"text", "meta", "repeated", "unknown"};
  return kNames[static_cast<std::size_t>(use)];
}

}  // namespace toktier::replay
