#pragma once
// What each file of this folder gives to the table. Internal.

#include "replay/format_table.hpp"

namespace toktier::replay::formats {

extern const Format kNeutral, kSweAgent, kOpenHands, kTauBench, kTau2Bench, kChatCompletions,
    kCodexResponsesWire, kCodexExec, kCodexRollout, kPiSession, kAtif, kClaudeCode, kQwen, kGemini,
    kOtelSpans, kCodexSweBenchPro, kShareGpt, kMiniSweAgent, kOpenAiMessages, kTraceLabRounds,
    kSpecStory, kAider, kReactText, kTerminalLogs, kCursor, kDroid, kGrok, kKimi, kOpenClaw,
    kOpenCode;

}  // namespace toktier::replay::formats
