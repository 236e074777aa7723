// Factory Droid: its session store ({type: message, message: {...}}) and its stream of JSON
// ({type: message, role, text}, tool_call, tool_result, completion).

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.text("type") == "session_start" ||
         (outline.text("type") == "system" && outline.has("session_id") && outline.has("text"));
}

class Droid {
 public:
  explicit Droid(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    time_ = parse_time(text_at(value, "timestamp"));
    const std::string_view type = text_at(value, "type");
    if (type == "session_start" || type == "system") {
      Session session;
      session.model = text_at(value, "model");
      const std::string_view id = text_at(value, type == "system" ? "session_id" : "id");
      if (key_.empty()) key_ = reading_.open(id, session);
      reading_.record(std::string(type), Use::meta);
    } else if (type == "message") {
      message(value);
    } else if (type == "tool_call") {
      Message message;
      message.role = Role::assistant;
      Part part{PartKind::tool_call, "", std::string(text_at(value, "toolName")),
                std::string(text_at(value, "toolCallId"))};
      if (const auto parameters = member_value(value, "parameters"))
        part.text = text_or_json(*parameters);
      message.parts.push_back(std::move(part));
      append(std::move(message), "tool_call");
    } else if (type == "tool_result") {
      Message message;
      message.role = Role::tool;
      Part part{PartKind::tool_result, "", "", std::string(text_at(value, "toolCallId"))};
      if (const auto result = member_value(value, "value")) part.text = text_or_json(*result);
      message.parts.push_back(std::move(part));
      append(std::move(message), "tool_result");
    } else if (type == "completion") {
      append(text_message(Role::assistant, text_at(value, "finalText")), "completion");
    } else {
      reading_.record(std::string(shown_text(type, 40)), Use::unknown);
    }
  }

 private:
  void message(Json value) {
    Message message;
    if (const auto inner = member_value(value, "message")) {
      if (!read_chat_message(reading_, *inner, "message", message)) return;
    } else {
      const auto role = role_of(text_at(value, "role"));
      if (!role) {
        reading_.problem("role", shown_text(text_at(value, "role")), "not a known role");
        reading_.record("message", Use::unknown);
        return;
      }
      message = text_message(*role, text_at(value, "text"));
    }
    append(std::move(message), "message");
  }

  void append(Message message, std::string_view kind) {
    if (key_.empty()) key_ = reading_.open("");
    reading_.record(kind, Use::text);
    Step step;
    step.time_ms = time_;
    step.messages.push_back(std::move(message));
    reading_.step(key_, std::move(step));
  }

  Reading& reading_;
  std::string key_;
  std::optional<std::int64_t> time_;
};

void read(Input& input, Reading& reading) {
  Droid file(reading);
  for_each_line(input, reading, [&](Json value) { file.line(value); });
}

}  // namespace

const Format kDroid = {"droid-jsonl", "Factory Droid session stores and streams", recognise, read};

}  // namespace toktier::replay::formats
