// opencode's storage: one file per session, per message, per part of a message. A part's file does
// not say whose part it is in the older layout, nor its place; each file with text is a session of
// one message here, its recorded session id kept.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("sessionID") || outline.has("messageID") ||
         (outline.has("projectID") && outline.has("directory")) ||
         (outline.has("time.start") && outline.has("type") && outline.has("id"));
}

void append(Reading& reading, const std::string& key, Message message, Json value) {
  Step step;
  const auto time = member_value(value, "time");
  if (const auto start = time ? number_at(*time, "start") : std::nullopt)
    step.time_ms = time_of_number(*start);
  step.messages.push_back(std::move(message));
  reading.step(key, std::move(step));
}

void read_file(Reading& reading, Json value) {
  const std::string_view type = text_at(value, "type");
  if (member(value, "role")) {
    reading.record("message file", Use::meta);  // its text stands in the files of its parts
    return;
  }
  if (type.empty()) {
    reading.record("session file", Use::meta);
    return;
  }
  const std::string kind = fmt::format("part {}", shown_text(type, 40));
  if (type == "text" || type == "reasoning") {
    const std::string key = reading.open(text_at(value, "sessionID"));
    // Who said a text stands in the message's own file.
    Message message =
        text_message(type == "text" ? Role::user : Role::assistant, text_at(value, "text"));
    if (type == "reasoning") message.parts.back().kind = PartKind::thinking;
    reading.record(kind, Use::text);
    append(reading, key, std::move(message), value);
    reading.close(key);
  } else if (type == "tool") {
    const std::string key = reading.open(text_at(value, "sessionID"));
    const std::string id(text_at(value, "callID"));
    const auto state = member_value(value, "state");
    Message call;
    call.role = Role::assistant;
    call.parts.push_back({PartKind::tool_call, "", std::string(text_at(value, "tool")), id});
    if (const auto input = state ? member_value(*state, "input") : std::nullopt)
      call.parts.back().text = text_or_json(*input);
    append(reading, key, std::move(call), value);
    if (const auto output = state ? member_value(*state, "output") : std::nullopt) {
      Message result;
      result.role = Role::tool;
      result.parts.push_back({PartKind::tool_result, text_or_json(*output), "", id});
      append(reading, key, std::move(result), value);
    }
    reading.record(kind, Use::text);
    reading.close(key);
  } else {
    const bool known = type == "step-start" || type == "step-finish" || type == "patch" ||
                       type == "snapshot" || type == "compaction" || type == "file" ||
                       type == "agent";
    reading.record(kind, known ? Use::meta : Use::unknown);
  }
}

void read(Input& input, Reading& reading) {
  for_each_value(input, reading, [&](Json value) { read_file(reading, value); });
}

}  // namespace

const Format kOpenCode = {"opencode-storage", "opencode: a file per session, message and part",
                          recognise, read};

}  // namespace toktier::replay::formats
