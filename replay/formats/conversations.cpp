#include "replay/formats/conversations.hpp"

#include "replay/content.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

void read_record(Reading& reading, Json value) {
  const auto list = member(value, "conversations");
  simdjson::dom::array turns;
  if (!list || list->get(turns) != simdjson::SUCCESS) {
    reading.problem("conversations", list ? shown(*list) : "", "a list of turns expected");
    reading.record("(record without conversations)", Use::unknown);
    return;
  }
  std::string id;
  if (const auto found = member_value(value, "id")) id = text_or_json(*found);
  const std::string key = reading.open(id);
  const auto append = [&](Message message) {
    Step step;
    step.messages.push_back(std::move(message));
    reading.step(key, std::move(step));
  };
  Part tools;
  tools.kind = PartKind::tools;
  if (const auto found = member_value(value, "tools")) tools.text = text_or_json(*found);
  if (const std::string_view system = text_at(value, "system"); !system.empty())
    append(text_message(Role::system, system));
  std::size_t index = 0;
  for (const Json turn : turns) {
    const std::string field = fmt::format("conversations[{}]", index++);
    const std::string_view from = text_at(turn, "from");
    const auto role = role_of(from);
    const auto text = member(turn, "value");
    if (!role || !text || !text->is_string()) {
      reading.problem(field, shown_text(from), "not {from, value} with a known speaker and a text");
      reading.record(fmt::format("turn {}", shown_text(from, 30)), Use::unknown);
      continue;
    }
    Message message = text_message(*role, text_or_json(*text));
    if (from == "function_call") message.parts.back().kind = PartKind::tool_call;
    if (*role == Role::tool) message.parts.back().kind = PartKind::tool_result;
    if (!tools.text.empty()) message.parts.push_back(std::exchange(tools, Part{}));
    reading.record(fmt::format("turn {}", from), Use::text);
    append(std::move(message));
  }
  reading.close(key);
}

}  // namespace

void read_conversations(Input& input, Reading& reading) {
  for_each_value(input, reading, [&](Json value) { read_record(reading, value); });
}

}  // namespace toktier::replay::formats
