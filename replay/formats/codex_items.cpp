#include "replay/formats/codex_items.hpp"

#include "replay/content.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool call_type(std::string_view type) {
  return type == "function_call" || type == "custom_tool_call" || type == "local_shell_call" ||
         type == "web_search_call" || type == "tool_search_call" || type == "tool_call" ||
         type == "image_generation_call";
}

bool result_type(std::string_view type) {
  return type == "function_call_output" || type == "custom_tool_call_output" ||
         type == "local_shell_call_output" || type == "tool_search_output" ||
         type == "tool_result" || type == "function_result";
}

bool without_text(std::string_view type) {
  return type == "token_count" || type == "ghost_snapshot" || type == "other";
}

std::string call_id(Json item) {
  std::string_view id = text_at(item, "call_id");
  return std::string(id.empty() ? text_at(item, "id") : id);
}

void read_call(Json item, std::string_view type, Message& out) {
  out.role = Role::assistant;
  Part part;
  part.kind = PartKind::tool_call;
  part.id = call_id(item);
  part.name = text_at(item, "name");
  if (const auto function = member_value(item, "function"); function && part.name.empty())
    part.name = text_at(*function, "name");
  if (part.name.empty()) part.name = type;
  for (const std::string_view field : {"arguments", "input", "action"}) {
    if (const auto found = member_value(item, field)) {
      part.text = text_or_json(*found);
      break;
    }
  }
  out.parts.push_back(std::move(part));
}

void read_result(Reading& reading, Json item, std::string_view field, Message& out) {
  out.role = Role::tool;
  for (const std::string_view name : {"output", "result"}) {
    const auto found = member_value(item, name);
    if (!found) continue;
    if (found->is_object() && !member(*found, "content")) {
      out.parts.push_back(text_part(text_or_json(*found)));
    } else {
      add_content(reading, *found, fmt::format("{}.{}", field, name), out);
    }
    break;
  }
  if (out.parts.empty()) out.parts.emplace_back();
  for (Part& part : out.parts) {
    if (part.kind != PartKind::text) continue;
    part.kind = PartKind::tool_result;
    part.id = call_id(item);
  }
}

void read_reasoning(Reading& reading, Json item, std::string_view field, Message& out) {
  out.role = Role::assistant;
  for (const std::string_view name : {"summary", "content"}) {
    if (const auto found = member_value(item, name))
      add_content(reading, *found, fmt::format("{}.{}", field, name), out);
  }
  if (out.parts.empty()) out.parts.emplace_back();
  for (Part& part : out.parts) {
    if (part.kind == PartKind::text) part.kind = PartKind::thinking;
  }
}

}  // namespace

bool read_codex_item(Reading& reading, Json item, std::string_view field, std::string_view kind,
                     Message& out) {
  out = {};
  if (!item.is_object()) {
    reading.wrong_type(field, item, "an item");
    return false;
  }
  std::string_view type = text_at(item, "type");
  if (type.empty() && member(item, "role")) type = "message";
  const std::string name = fmt::format("{}{}", kind, type.empty() ? "(without type)" : type);
  if (type == "message") {
    const std::string_view role_name = text_at(item, "role");
    const auto role = role_of(role_name);
    if (!role) {
      reading.problem(fmt::format("{}.role", field), shown_text(role_name), "not a known role");
      reading.record(name, Use::unknown);
      return false;
    }
    out.role = *role;
    auto content = member(item, "content");
    if (!content) content = member(item, "message");  // of very old files
    if (content) add_content(reading, *content, fmt::format("{}.content", field), out);
  } else if (type == "reasoning") {
    read_reasoning(reading, item, field, out);
  } else if (call_type(type)) {
    read_call(item, type, out);
  } else if (result_type(type)) {
    read_result(reading, item, field, out);
  } else {
    reading.record(name, without_text(type) ? Use::meta : Use::unknown);
    return false;
  }
  reading.record(name, Use::text);
  return true;
}

std::vector<Message> read_codex_items(Reading& reading, Json list, std::string_view field,
                                      std::string_view kind) {
  std::vector<Message> messages;
  simdjson::dom::array items;
  if (list.get(items) != simdjson::SUCCESS) {
    reading.wrong_type(field, list, "a list of items");
    return messages;
  }
  std::size_t index = 0;
  for (const Json item : items) {
    Message message;
    if (read_codex_item(reading, item, fmt::format("{}[{}]", field, index++), kind, message))
      messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace toktier::replay::formats
