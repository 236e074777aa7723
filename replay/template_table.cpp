// Templates with the control tokens of the models they are named for. They follow the published
// templates in what stands around texts, not in every sentence these add (dates, explanations of
// tools).

#include "replay/template_table.hpp"

#include <array>

namespace toktier::replay {
namespace {

constexpr std::string_view kPlain = R"json({
"schema": "toktier.template/1", "name": "plain", "what": "texts one after the other, nothing between",
"parts": {"text": "{text}", "thinking": "{text}", "tool_call": "{name}{text}", "tool_result": "{text}",
          "tools": "{text}"}
})json";

constexpr std::string_view kChatMl = R"json({
"schema": "toktier.template/1", "name": "chatml", "what": "ChatML as Qwen 2.5 and 3 use it",
"roles": {
 "system": {"open": "<|im_start|>system\n", "close": "<|im_end|>\n"},
 "user": {"open": "<|im_start|>user\n", "close": "<|im_end|>\n"},
 "assistant": {"open": "<|im_start|>assistant\n", "close": "<|im_end|>\n", "join": ""},
 "tool": {"open": "<|im_start|>user", "close": "<|im_end|>\n", "join": ""}},
"parts": {"text": "{text}", "thinking": "<think>\n{text}\n</think>\n\n",
 "tool_call": "\n<tool_call>\n{\"name\": \"{name}\", \"arguments\": {text}}\n</tool_call>",
 "tool_result": "\n<tool_response>\n{text}\n</tool_response>",
 "tools": "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n{text}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>",
 "image": "<|vision_start|><|image_pad|><|vision_end|>"}
})json";

constexpr std::string_view kLlama3 = R"json({
"schema": "toktier.template/1", "name": "llama3", "what": "Llama 3.1 to 3.3",
"begin": "<|begin_of_text|>",
"roles": {
 "system": {"open": "<|start_header_id|>system<|end_header_id|>\n\n", "close": "<|eot_id|>"},
 "user": {"open": "<|start_header_id|>user<|end_header_id|>\n\n", "close": "<|eot_id|>"},
 "assistant": {"open": "<|start_header_id|>assistant<|end_header_id|>\n\n", "close": "<|eot_id|>", "join": ""},
 "tool": {"open": "<|start_header_id|>ipython<|end_header_id|>\n\n", "close": "<|eot_id|>"}},
"parts": {"text": "{text}", "thinking": "{text}\n\n",
 "tool_call": "{\"name\": \"{name}\", \"parameters\": {text}}",
 "tool_result": "{text}",
 "tools": "\n\nYou have access to the following functions. To call a function, please respond with JSON for a function call.\n\n{text}\n\n"}
})json";

constexpr std::string_view kHarmony = R"json({
"schema": "toktier.template/1", "name": "harmony", "what": "the Harmony format of gpt-oss",
"roles": {
 "system": {"open": "<|start|>developer<|message|># Instructions\n\n", "close": "<|end|>"},
 "user": {"open": "<|start|>user<|message|>", "close": "<|end|>"},
 "assistant": {"open": "", "close": "", "join": "", "parts": {
  "text": "<|start|>assistant<|channel|>final<|message|>{text}<|end|>",
  "thinking": "<|start|>assistant<|channel|>analysis<|message|>{text}<|end|>",
  "tool_call": "<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{text}<|call|>"}},
 "tool": {"open": "", "close": "", "join": "", "parts": {
  "tool_result": "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{text}<|end|>"}}},
"parts": {"text": "{text}", "thinking": "{text}", "tool_call": "{name}{text}", "tool_result": "{text}",
 "tools": "\n\n# Tools\n\n## functions\n\n{text}"},
"generation": "<|start|>assistant"
})json";

constexpr std::string_view kDeepSeek = R"json({
"schema": "toktier.template/1", "name": "deepseek", "what": "DeepSeek V3 and R1",
"begin": "<\uff5cbegin\u2581of\u2581sentence\uff5c>",
"roles": {
 "system": {"open": "", "close": ""},
 "user": {"open": "<\uff5cUser\uff5c>", "close": ""},
 "assistant": {"open": "<\uff5cAssistant\uff5c>", "close": "<\uff5cend\u2581of\u2581sentence\uff5c>", "join": ""},
 "tool": {"open": "<\uff5ctool\u2581outputs\u2581begin\uff5c>", "close": "<\uff5ctool\u2581outputs\u2581end\uff5c>", "join": "\n"}},
"parts": {"text": "{text}", "thinking": "<think>\n{text}\n</think>\n\n",
 "tool_call": "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>{name}\n```json\n{text}\n```<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>",
 "tool_result": "<\uff5ctool\u2581output\u2581begin\uff5c>{text}<\uff5ctool\u2581output\u2581end\uff5c>",
 "tools": "\n\n## Tools\n\n{text}"}
})json";

}  // namespace

std::span<const std::string_view> template_table() {
  static constexpr std::array kRows = {kPlain, kChatMl, kLlama3, kHarmony, kDeepSeek};
  return kRows;
}

}  // namespace toktier::replay
