// Cursor's transcripts: lines {role, message: {content}}.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("role") && outline.has("message.content") && !outline.has("message.role");
}

void read(Input& input, Reading& reading) {
  std::string key;
  for_each_line(input, reading, [&](Json value) {
    const auto role = role_of(text_at(value, "role"));
    const auto inner = member_value(value, "message");
    const auto content = inner ? member(*inner, "content") : std::nullopt;
    if (!role || !content) {
      const std::string_view type = text_at(value, "type");
      reading.record(type.empty() ? "(record without role)" : std::string(shown_text(type, 40)),
                     type == "turn_ended" ? Use::meta : Use::unknown);
      return;
    }
    if (key.empty()) key = reading.open("");
    Step step;
    Message message;
    message.role = *role;
    add_content(reading, *content, "message.content", message);
    reading.record(fmt::format("message {}", name_of(*role)), Use::text);
    step.messages.push_back(std::move(message));
    reading.step(key, std::move(step));
  });
}

}  // namespace

const Format kCursor = {"cursor-jsonl", "Cursor transcripts", recognise, read};

}  // namespace toktier::replay::formats
