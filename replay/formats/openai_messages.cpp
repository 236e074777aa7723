// Lists of messages in the shape of OpenAI's chat API: bare, or at "messages" of records. A file
// that is one list may be one call of several (round 00, round 01, ...): a snapshot.

#include "replay/chat_list.hpp"
#include "replay/content.hpp"
#include "replay/formats/formats.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("messages[].role") || outline.has("[].role") ||
         outline.has("[].messages[].role") || outline.has("[][].role");
}

/// A list that is the whole file: the context of one call.
void read_snapshot(Reading& reading, Json list) {
  simdjson::dom::array messages;
  if (list.get(messages) != simdjson::SUCCESS) return;
  Step step;
  step.op = Op::snapshot;
  std::size_t index = 0;
  for (const Json value : messages) {
    Message message;
    if (!read_chat_message(reading, value, fmt::format("[{}]", index++), message)) continue;
    reading.record(fmt::format("message {}", name_of(message.role)), Use::text);
    step.messages.push_back(std::move(message));
  }
  if (step.messages.empty()) return;
  Session session;
  session.series = series_of(reading.file());
  const std::string key = reading.open("", session);
  reading.step(key, std::move(step));
  reading.close(key);
}

void read_record(Reading& reading, Json value) {
  if (value.is_array()) {
    const std::string key = reading.open("");
    append_chat_list(reading, key, value, "");
    reading.close(key);
    return;
  }
  const auto messages = member(value, "messages");
  if (!messages) {
    reading.record(member(value, "metadata") ? "metadata" : "(record without messages)",
                   member(value, "metadata") ? Use::meta : Use::unknown);
    return;
  }
  std::string_view id = text_at(value, "id");
  if (id.empty()) id = text_at(value, "instance_id");
  Session session;
  session.model = text_at(value, "model");
  const std::string key = reading.open(id, session);
  if (const auto tools = member_value(value, "tools")) {
    reading.record("tools", Use::meta);
  }
  append_chat_list(reading, key, *messages, "messages");
  reading.close(key);
}

void read(Input& input, Reading& reading) {
  const auto record = [&](Json value) { read_record(reading, value); };
  if (input.outline.values() > 1) {
    for_each_line(input, reading, record, Values::any);
  } else if (input.outline.has("[].role")) {
    with_whole_file(input, reading, [&](Json list) { read_snapshot(reading, list); });
  } else {
    for_each_value(input, reading, record);
  }
}

}  // namespace

const Format kOpenAiMessages = {"openai-messages",
                                "lists of {role, content, tool_calls}, bare or at \"messages\"",
                                recognise, read};

}  // namespace toktier::replay::formats
