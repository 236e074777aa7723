#include "replay/content.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace toktier::replay {
namespace {

constexpr int kMaxContentDepth = 8;

/// Kinds of blocks by what they are for us; the text stands at the first of `fields` that is there.
struct BlockKind {
  std::string_view type;
  PartKind kind;
  std::array<std::string_view, 2> fields;
};
constexpr std::array kBlockKinds = {
    BlockKind{"text", PartKind::text, {"text", "value"}},
    BlockKind{"input_text", PartKind::text, {"text", ""}},
    BlockKind{"output_text", PartKind::text, {"text", ""}},
    BlockKind{"summary_text", PartKind::thinking, {"text", ""}},
    BlockKind{"refusal", PartKind::text, {"refusal", "text"}},
    BlockKind{"reasoning", PartKind::thinking, {"value", "text"}},
    BlockKind{"reasoning_text", PartKind::thinking, {"text", ""}},
    BlockKind{"thinking", PartKind::thinking, {"thinking", "text"}},
    BlockKind{"redacted_thinking", PartKind::thinking, {"", ""}},
    BlockKind{"tool_use", PartKind::tool_call, {"input", ""}},
    BlockKind{"server_tool_use", PartKind::tool_call, {"input", ""}},
    BlockKind{"toolCall", PartKind::tool_call, {"arguments", ""}},
    BlockKind{"tool_call", PartKind::tool_call, {"arguments", "value"}},
    BlockKind{"tool_response", PartKind::tool_result, {"value", "content"}},
    BlockKind{"tool_result", PartKind::tool_result, {"content", "text"}},
    BlockKind{"web_search_tool_result", PartKind::tool_result, {"content", ""}},
    BlockKind{"image", PartKind::image, {"", ""}},
    BlockKind{"image_url", PartKind::image, {"", ""}},
    BlockKind{"input_image", PartKind::image, {"", ""}},
    BlockKind{"document", PartKind::image, {"", ""}},
};

const BlockKind* block_kind(std::string_view type) {
  for (const BlockKind& kind : kBlockKinds)
    if (kind.type == type) return &kind;
  return nullptr;
}

/// All text inside `content`, whatever its shape: what a tool answered.
std::string joined_text(Json content, int depth = 0) {
  std::string_view text;
  if (content.get(text) == simdjson::SUCCESS) return std::string(text);
  if (content.is_null() || depth > kMaxContentDepth) return {};
  simdjson::dom::array list;
  if (content.get(list) == simdjson::SUCCESS) {
    std::string all;
    for (const Json item : list) {
      const std::string_view type = text_at(item, "type");
      if (type == "image" || type == "input_image" || type == "image_url") continue;
      all += joined_text(item, depth + 1);
    }
    return all;
  }
  for (const std::string_view name : {"text", "content", "output", "value"}) {
    if (const auto found = member_value(content, name)) return joined_text(*found, depth + 1);
  }
  return simdjson::minify(content);
}

void add_block(Reading& reading, Json block, std::string_view field, Message& out) {
  if (block.is_string()) {
    std::string_view text;
    if (block.get(text) == simdjson::SUCCESS) out.parts.push_back(text_part(text));
    return;
  }
  if (!block.is_object()) {
    reading.wrong_type(field, block, "a block or a string");
    return;
  }
  const std::string_view type = text_at(block, "type");
  const BlockKind* kind = block_kind(type);
  if (kind == nullptr) {
    // Google's parts have no type: {text}, {functionCall}, {functionResponse}.
    Part part;
    if (const auto call = member_value(block, "functionCall")) {
      part = {PartKind::tool_call, "", std::string(text_at(*call, "name")),
              std::string(text_at(*call, "id"))};
      if (const auto args = member_value(*call, "args")) part.text = text_or_json(*args);
    } else if (const auto result = member_value(block, "functionResponse")) {
      part = {PartKind::tool_result, "", std::string(text_at(*result, "name")),
              std::string(text_at(*result, "id"))};
      if (const auto response = member_value(*result, "response"))
        part.text = joined_text(*response);
    } else if (type.empty() && member(block, "text")) {
      part = text_part(text_at(block, "text"));
      if (flag_at(block, "thought")) part.kind = PartKind::thinking;
    } else {
      reading.record(fmt::format("block {}", type.empty() ? "(without type)" : type), Use::unknown);
      part.kind = PartKind::other;
      part.name = type;
    }
    out.parts.push_back(std::move(part));
    return;
  }
  Part part;
  part.kind = kind->kind;
  for (const std::string_view name : kind->fields) {
    const auto found = name.empty() ? std::nullopt : member_value(block, name);
    if (!found) continue;
    if (part.kind == PartKind::tool_result) {
      part.text = joined_text(*found);
    } else if (part.kind == PartKind::tool_call) {
      part.text = text_or_json(*found);
    } else if (found->is_string()) {
      part.text = text_or_json(*found);
    } else {
      reading.wrong_type(fmt::format("{}.{}", field, name), *found, "a string");
    }
    break;
  }
  part.name = text_at(block, "name");
  part.id = text_at(block, part.kind == PartKind::tool_result ? "tool_use_id" : "id");
  out.parts.push_back(std::move(part));
}

}  // namespace

Part text_part(std::string_view text) {
  Part part;
  part.text = text;
  return part;
}

Message text_message(Role role, std::string_view text) {
  Message message;
  message.role = role;
  message.parts.push_back(text_part(text));
  return message;
}

std::optional<Role> role_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Role>, 19> kNames = {{
      {"system", Role::system},     {"developer", Role::system},        {"user", Role::user},
      {"human", Role::user},        {"assistant", Role::assistant},     {"gpt", Role::assistant},
      {"chatgpt", Role::assistant}, {"bing", Role::assistant},          {"bard", Role::assistant},
      {"model", Role::assistant},   {"agent", Role::assistant},         {"gemini", Role::assistant},
      {"ai", Role::assistant},      {"function_call", Role::assistant}, {"tool", Role::tool},
      {"function", Role::tool},     {"observation", Role::tool},        {"toolResult", Role::tool},
      {"ipython", Role::tool},
  }};
  for (const auto& [known, role] : kNames)
    if (known == name) return role;
  return std::nullopt;
}

void add_content(Reading& reading, Json content, std::string_view field, Message& out) {
  if (content.is_null()) return;
  std::string_view text;
  if (content.get(text) == simdjson::SUCCESS) {
    out.parts.push_back(text_part(text));
    return;
  }
  simdjson::dom::array list;
  if (content.get(list) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const Json block : list)
      add_block(reading, block, fmt::format("{}[{}]", field, index++), out);
    return;
  }
  if (content.is_object()) {
    add_block(reading, content, field, out);
    return;
  }
  reading.wrong_type(field, content, "a string or a list of blocks");
}

void add_tool_calls(Reading& reading, Json calls, std::string_view field, Message& out) {
  if (calls.is_null()) return;
  simdjson::dom::array list;
  if (calls.get(list) != simdjson::SUCCESS) {
    reading.wrong_type(field, calls, "a list");
    return;
  }
  std::size_t index = 0;
  for (const Json call : list) {
    const std::string place = fmt::format("{}[{}]", field, index++);
    if (!call.is_object()) {
      reading.wrong_type(place, call, "an object");
      continue;
    }
    const Json function = member_value(call, "function").value_or(call);
    Part part;
    part.kind = PartKind::tool_call;
    part.name = text_at(function, "name");
    part.id = text_at(call, "id");
    if (const auto arguments = member_value(function, "arguments"))
      part.text = text_or_json(*arguments);
    out.parts.push_back(std::move(part));
  }
}

bool read_chat_message(Reading& reading, Json value, std::string_view field, Message& out) {
  out = {};
  if (!value.is_object()) {
    reading.wrong_type(field, value, "a message");
    return false;
  }
  const auto role_field = member(value, "role");
  const std::string_view name = text_at(value, "role");
  if (!role_field || !role_field->is_string()) {
    if (role_field) {
      reading.wrong_type(fmt::format("{}.role", field), *role_field, "a string");
    } else {
      reading.problem(fmt::format("{}.role", field), "", "required field is missing");
    }
    return false;
  }
  const auto role = role_of(name);
  if (!role) {
    reading.problem(fmt::format("{}.role", field), shown_text(name), "not a known role");
    reading.record(fmt::format("role {}", shown_text(name, 30)), Use::unknown);
    return false;
  }
  out.role = *role;
  if (const auto content = member(value, "content"))
    add_content(reading, *content, fmt::format("{}.content", field), out);
  if (const auto calls = member(value, "tool_calls"))
    add_tool_calls(reading, *calls, fmt::format("{}.tool_calls", field), out);
  if (const auto call = member_value(value, "function_call")) {
    Part part;
    part.kind = PartKind::tool_call;
    part.name = text_at(*call, "name");
    if (const auto arguments = member_value(*call, "arguments"))
      part.text = text_or_json(*arguments);
    out.parts.push_back(std::move(part));
  }
  if (out.role == Role::tool) {
    std::string id(text_at(value, "tool_call_id"));
    simdjson::dom::array ids;
    if (const auto list = member_value(value, "tool_call_ids");
        list && list->get(ids) == simdjson::SUCCESS && ids.size() > 0)
      id = text_or_json(ids.at(0));
    const std::string tool(text_at(value, "name"));
    for (Part& part : out.parts) {
      if (part.kind != PartKind::text) continue;
      part.kind = PartKind::tool_result;
      part.id = id;
      part.name = tool;
    }
  }
  return true;
}

Usage read_usage(Json value) {
  const auto first = [value](std::initializer_list<std::string_view> names) {
    std::optional<std::uint64_t> count;
    for (const std::string_view name : names)
      if (!count) count = count_at(value, name);
    return count;
  };
  Usage usage;
  usage.input = first({"input_tokens", "prompt_tokens", "input", "promptTokenCount"});
  usage.output = first({"output_tokens", "completion_tokens", "output", "candidatesTokenCount"});
  usage.cached = first({"cache_read_input_tokens", "cached_input_tokens", "cacheRead", "cached",
                        "cached_tokens", "cachedContentTokenCount"});
  usage.cache_written = first({"cache_creation_input_tokens", "cacheWrite"});
  usage.reasoning = first({"reasoning_output_tokens", "thoughts", "thoughtsTokenCount"});
  if (!usage.cached) {
    for (const std::string_view name : {"prompt_tokens_details", "input_tokens_details"}) {
      if (const auto details = member_value(value, name); details && !usage.cached)
        usage.cached = count_at(*details, "cached_tokens");
    }
  }
  return usage;
}

}  // namespace toktier::replay
