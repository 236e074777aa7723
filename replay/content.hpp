#pragma once
// Shapes of content that many formats share: strings, lists of blocks, tool calls. Internal to this
// room.

#include "replay/reading.hpp"

#include <string_view>

namespace toktier::replay {

/// What `content` says becomes parts of `out`: a string, null, an object with text, or a list of
/// strings and blocks of the kinds that OpenAI, Anthropic and Google use. A block of another kind
/// is counted as unknown and kept as PartKind::other, without text.
void add_content(Reading& reading, Json content, std::string_view field, Message& out);

/// OpenAI's `tool_calls`: a list of {id, function: {name, arguments}}, or {id, name, arguments}.
void add_tool_calls(Reading& reading, Json calls, std::string_view field, Message& out);

/// One message in OpenAI's shape: {role, content, tool_calls, tool_call_id, name, function_call}.
/// False (with a problem) when it is no message at all.
bool read_chat_message(Reading& reading, Json value, std::string_view field, Message& out);

/// The role of that name, with the names that programs use for the four of ours ("developer",
/// "human", "gpt", "model", "function", ...). Nothing for others.
std::optional<Role> role_of(std::string_view name);

Part text_part(std::string_view text);
Message text_message(Role role, std::string_view text);

/// {input_tokens, cache_read_input_tokens, ...}, {prompt_tokens, ...}, {input, cacheRead, ...}.
Usage read_usage(Json value);

}  // namespace toktier::replay
