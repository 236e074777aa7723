// The published traces of Codex on SWE-bench Pro: the same shape as ShareGPT with nothing beside
// the conversations, human and gpt in turns; the k-th human is the new input of call k.

#include "replay/formats/conversations.hpp"
#include "replay/formats/formats.hpp"

#include <algorithm>

namespace toktier::replay::formats {
namespace {
bool recognise(const Outline& outline) {
  if (!outline.has("[].conversations[].from")) return false;
  for (const std::string_view other : {"[].id", "[].tools", "[].system", "[].model"})
    if (outline.has(other)) return false;
  return outline.head().find("\"function_call\"") == std::string_view::npos;
}
}  // namespace

const Format kCodexSweBenchPro = {"codex-swebenchpro-shape",
                                  "conversations of human and gpt alone (codex_swebenchpro.json)",
                                  recognise, read_conversations};

}  // namespace toktier::replay::formats
