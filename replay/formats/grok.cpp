// Grok CLI: chat_history.jsonl with items like those of the Responses API, and a summary.json
// beside it that holds no text of the session.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("grok_home") || outline.has("prompt_index") ||
         (outline.has("model_fingerprint") && outline.has("model_id"));
}

void read_line(Reading& reading, std::string& key, Json value) {
  const std::string_view type = text_at(value, "type");
  if (member(value, "grok_home")) {
    reading.record("summary", Use::meta);
    return;
  }
  Message message;
  if (type == "reasoning") {
    message.role = Role::assistant;
    if (const auto summary = member_value(value, "summary"))
      add_content(reading, *summary, "summary", message);
  } else if (type == "backend_tool_call") {
    message.role = Role::assistant;
    Part part;
    part.kind = PartKind::tool_call;
    if (const auto kind = member_value(value, "kind")) {
      part.name = text_at(*kind, "tool_type");
      if (const auto action = member_value(*kind, "action")) part.text = text_or_json(*action);
    }
    message.parts.push_back(std::move(part));
  } else if (type == "tool_result") {
    message.role = Role::tool;
    if (const auto content = member(value, "content"))
      add_content(reading, *content, "content", message);
    for (Part& part : message.parts) {
      if (part.kind == PartKind::text) part.kind = PartKind::tool_result;
      part.id = text_at(value, "tool_call_id");
    }
  } else if (const auto role = role_of(type)) {
    message.role = *role;
    if (const auto content = member(value, "content"))
      add_content(reading, *content, "content", message);
    if (const auto calls = member(value, "tool_calls"))
      add_tool_calls(reading, *calls, "tool_calls", message);
  } else {
    reading.record(std::string(shown_text(type, 40)), Use::unknown);
    return;
  }
  if (key.empty()) key = reading.open("");
  reading.record(std::string(type), Use::text);
  Step step;
  step.messages.push_back(std::move(message));
  reading.step(key, std::move(step));
}

void read(Input& input, Reading& reading) {
  std::string key;
  for_each_value(input, reading, [&](Json value) { read_line(reading, key, value); });
}

}  // namespace

const Format kGrok = {"grok-cli", "Grok CLI chat histories and summaries", recognise, read};

}  // namespace toktier::replay::formats
