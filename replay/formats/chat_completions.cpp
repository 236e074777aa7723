// One file per call of a chat API: {messages, tools, response, ...}. Each holds the whole context,
// so a session is a series of files, and what a call appends is the difference to the file before.

#include "replay/chat_list.hpp"
#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("messages[].role") &&
         (outline.has("response.choices") || (outline.has("kwargs") && outline.has("tools")));
}

void read_call(Reading& reading, Json value) {
  const auto list = member(value, "messages");
  simdjson::dom::array messages;
  if (!list || list->get(messages) != simdjson::SUCCESS) {
    reading.problem("messages", list ? shown(*list) : "", "a list of messages expected");
    reading.record("(call without messages)", Use::unknown);
    return;
  }
  Step step;
  step.op = Op::snapshot;
  step.call = true;
  if (const auto time = number_at(value, "timestamp")) step.time_ms = time_of_number(*time);
  std::size_t index = 0;
  for (const Json item : messages) {
    Message message;
    if (!read_chat_message(reading, item, fmt::format("messages[{}]", index++), message)) continue;
    reading.record(fmt::format("message {}", name_of(message.role)), Use::text);
    step.messages.push_back(std::move(message));
  }
  if (const auto tools = member_value(value, "tools")) {
    reading.record("tools", Use::text);
    Part part;
    part.kind = PartKind::tools;
    part.text = simdjson::minify(*tools);
    if (!step.messages.empty()) step.messages.front().parts.push_back(std::move(part));
  }
  Session session;
  session.series = series_of(reading.file());
  if (const auto response = member_value(value, "response")) {
    session.model = text_at(*response, "model");
    if (const auto usage = member_value(*response, "usage")) step.usage = read_usage(*usage);
    simdjson::dom::array choices;
    if (const auto found = member(*response, "choices");
        found && found->get(choices) == simdjson::SUCCESS && choices.size() > 0) {
      Message answer;
      const auto message = member(choices.at(0), "message");
      if (message && read_chat_message(reading, *message, "response.choices[0].message", answer)) {
        reading.record("answer", Use::text);
        step.messages.push_back(std::move(answer));
      }
    }
  }
  const std::string key = reading.open("", session);
  reading.step(key, std::move(step));
  reading.close(key);
}

void read(Input& input, Reading& reading) {
  for_each_value(input, reading, [&](Json value) { read_call(reading, value); });
}

}  // namespace

const Format kChatCompletions = {
    "chat-completions-calls", "one file per call: messages, tools, response (OpenHands SDK logs)",
    recognise, read};

}  // namespace toktier::replay::formats
