// OpenClaw's sessions: lines like those of the pi agent, with id and parentId.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.text("type") == "session" && outline.has("parentId");
}

void read_line(Reading& reading, std::string& key, Json value) {
  const std::string_view type = text_at(value, "type");
  if (type == "session") {
    if (key.empty()) key = reading.open(text_at(value, "id"));
    reading.record("session", Use::meta);
    return;
  }
  Message message;
  if (type == "message") {
    const auto inner = member_value(value, "message");
    if (!inner || !read_chat_message(reading, *inner, "message", message)) return;
    for (Part& part : message.parts) {
      if (message.role != Role::tool) break;
      part.kind = PartKind::tool_result;
      part.id = text_at(*inner, "toolCallId");
      part.name = text_at(*inner, "toolName");
    }
  } else if (type == "custom_message") {
    message.role = Role::user;
    if (const auto content = member(value, "content"))
      add_content(reading, *content, "content", message);
  } else {
    const bool known = type == "model_change" || type == "thinking_level_change" ||
                       type == "custom" || type == "label" || type == "session_info";
    reading.record(std::string(shown_text(type, 40)), known ? Use::meta : Use::unknown);
    return;
  }
  if (key.empty()) key = reading.open("");
  reading.record(std::string(type), Use::text);
  Step step;
  step.time_ms = parse_time(text_at(value, "timestamp"));
  step.messages.push_back(std::move(message));
  reading.step(key, std::move(step));
}

void read(Input& input, Reading& reading) {
  std::string key;
  for_each_line(input, reading, [&](Json value) { read_line(reading, key, value); });
}

}  // namespace

const Format kOpenClaw = {"openclaw-jsonl", "OpenClaw sessions", recognise, read};

}  // namespace toktier::replay::formats
