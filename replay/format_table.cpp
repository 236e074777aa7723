#include "replay/format_table.hpp"

#include "replay/formats/formats.hpp"

#include <array>

namespace toktier::replay {

std::span<const Format> format_table() {
  using namespace formats;
  // From forms that one field gives away to those that share everything but a few names.
  static const std::array kRows = {
      kNeutral,
      kAtif,
      kSweAgent,
      kOpenHands,
      kTauBench,
      kTau2Bench,
      kChatCompletions,
      kCodexResponsesWire,
      kCodexExec,
      kTraceLabRounds,
      kOtelSpans,
      kGrok,
      kKimi,
      kCodexRollout,
      kOpenCode,
      kDroid,
      kOpenClaw,
      kPiSession,
      kQwen,
      kClaudeCode,
      kGemini,
      kCursor,
      kCodexSweBenchPro,
      kShareGpt,
      kMiniSweAgent,
      kOpenAiMessages,
      kSpecStory,
      kAider,
      kReactText,
      kTerminalLogs,
  };
  return kRows;
}

const Format* format_named(std::string_view name) {
  for (const Format& format : format_table())
    if (format.name == name) return &format;
  return nullptr;
}

const Format* recognise(const Outline& outline) {
  for (const Format& format : format_table())
    if (format.recognise(outline)) return &format;
  return nullptr;
}

}  // namespace toktier::replay
