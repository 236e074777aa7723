// OpenHands V0 event streams: a bare list of events, or lines with the list at "history". The model
// read actions and observations; "message" is a label for the screen, and tool_call_metadata holds
// the raw completion again, in the action and in its observation.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("history[].action") || outline.has("history[].observation") ||
         (outline.has("[].observation") && outline.has("[].action")) ||
         (outline.has("[].action") && outline.has("[].source"));
}

/// Fields of an action that are a call's arguments, not its text.
constexpr std::string_view kCallFields[] = {"command",         "code",   "path", "content", "url",
                                            "browser_actions", "outputs"};

void add_usage(Json event, Step& step, std::string& last_response) {
  const auto metadata = member_value(event, "tool_call_metadata");
  const auto response = metadata ? member_value(*metadata, "model_response") : std::nullopt;
  if (!response) return;
  const std::string_view id = text_at(*response, "id");
  if (!id.empty() && id == last_response) return;  // a further call of the same response
  last_response = id;
  step.call = true;
  if (const auto usage = member_value(*response, "usage")) step.usage = read_usage(*usage);
}

/// The text the model gave with the call, and the call.
Message read_action(Json event, std::string_view action) {
  const Json args = member_value(event, "args").value_or(event);
  const std::string_view source = text_at(event, "source");
  Message message;
  if (action == "system") {
    message.role = Role::system;
    message.parts.push_back(text_part(text_at(args, "content")));
    return message;
  }
  if (action == "message") {
    message.role = source == "agent" ? Role::assistant : Role::user;
    message.parts.push_back(text_part(text_at(args, "content")));
    return message;
  }
  message.role = Role::assistant;
  if (const std::string_view thought = text_at(args, "thought"); !thought.empty())
    message.parts.push_back(text_part(thought));
  Part call;
  call.kind = PartKind::tool_call;
  call.name = action;
  if (const auto metadata = member_value(event, "tool_call_metadata")) {
    call.id = text_at(*metadata, "tool_call_id");
    if (const std::string_view name = text_at(*metadata, "function_name"); !name.empty())
      call.name = name;
  }
  for (const std::string_view field : kCallFields) {
    const auto found = member_value(args, field);
    if (!found) continue;
    if (!call.text.empty()) call.text += '\n';
    call.text += text_or_json(*found);
  }
  message.parts.push_back(std::move(call));
  return message;
}

/// One list of events. What is in the context is kept, because a condensation may take any part of
/// it away.
struct EventList {
  std::string key;
  std::string last_response;
  std::vector<Message> context;
  std::vector<std::uint64_t> ids;  // of the events they came from
};

/// Events that the model no longer sees, and a summary in the place of the first of them.
void condense(Reading& reading, EventList& list, Json event, Step&& step) {
  const Json args = member_value(event, "args").value_or(event);
  simdjson::dom::array forgotten;
  const auto found = member_value(args, "forgotten_event_ids");
  if (!found || found->get(forgotten) != simdjson::SUCCESS) {
    reading.problem("args.forgotten_event_ids", found ? shown(*found) : "", "a list expected");
    return;
  }
  std::set<std::uint64_t> gone;
  for (const Json id : forgotten) {
    std::uint64_t number = 0;
    if (id.get(number) == simdjson::SUCCESS) gone.insert(number);
  }
  std::vector<Message> context;
  std::vector<std::uint64_t> ids;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < list.ids.size(); ++i) {
    if (gone.count(list.ids[i]) > 0) {
      if (first) continue;
      first = context.size();
      const std::string_view summary = text_at(args, "summary");
      if (summary.empty()) continue;
      context.push_back(text_message(Role::user, summary));
      ids.push_back(~std::uint64_t{0});
    } else {
      context.push_back(list.context[i]);
      ids.push_back(list.ids[i]);
    }
  }
  reading.record("action condensation", Use::text);
  if (!first) return;
  step.op = Op::rewind;
  step.keep = *first;
  step.messages.assign(context.begin() + static_cast<std::ptrdiff_t>(*first), context.end());
  list.context = std::move(context);
  list.ids = std::move(ids);
  reading.step(list.key, std::move(step));
}

void read_event(Reading& reading, EventList& list, Json event, std::string_view field) {
  if (!event.is_object()) {
    reading.wrong_type(field, event, "an event");
    return;
  }
  Step step;
  step.time_ms = parse_time(text_at(event, "timestamp"));
  const std::string_view action = text_at(event, "action");
  const std::string_view observation = text_at(event, "observation");
  if (!action.empty()) {
    if (action == "change_agent_state" || action == "recall" || action == "null" ||
        action == "stop" || action == "pause" || action == "resume") {
      reading.record(fmt::format("action {}", action), Use::meta);
      return;
    }
    if (action == "condensation") {
      condense(reading, list, event, std::move(step));
      return;
    }
    Message message = read_action(event, action);
    reading.record(fmt::format("action {}", action), Use::text);
    if (from_model(message)) add_usage(event, step, list.last_response);
    step.messages.push_back(std::move(message));
  } else if (!observation.empty()) {
    if (observation == "agent_state_changed" || observation == "null") {
      reading.record(fmt::format("observation {}", observation), Use::meta);
      return;
    }
    Message message;
    message.role = Role::tool;
    Part result;
    result.kind = PartKind::tool_result;
    if (const auto content = member_value(event, "content")) result.text = text_or_json(*content);
    if (const auto metadata = member_value(event, "tool_call_metadata"))
      result.id = text_at(*metadata, "tool_call_id");
    message.parts.push_back(std::move(result));
    reading.record(fmt::format("observation {}", observation), Use::text);
    step.messages.push_back(std::move(message));
  } else {
    reading.record("(event without action and observation)", Use::unknown);
    return;
  }
  list.context.push_back(step.messages.front());
  list.ids.push_back(count_at(event, "id").value_or(~std::uint64_t{0}));
  reading.step(list.key, std::move(step));
}

void read_events(Reading& reading, std::string_view id, simdjson::dom::array events,
                 std::string_view field) {
  EventList list;
  list.key = reading.open(id);
  std::size_t index = 0;
  for (const Json event : events)
    read_event(reading, list, event, fmt::format("{}[{}]", field, index++));
  reading.close(list.key);
}

void read(Input& input, Reading& reading) {
  simdjson::dom::array events;
  if (input.outline.has("[].action") || input.outline.has("[].observation")) {
    with_whole_file(input, reading, [&](Json value) {
      if (value.get(events) == simdjson::SUCCESS) read_events(reading, "", events, "");
    });
    return;
  }
  for_each_value(input, reading, [&](Json value) {
    const auto history = member(value, "history");
    if (!history || history->get(events) != simdjson::SUCCESS) {
      reading.problem("history", history ? shown(*history) : "", "a list of events expected");
      reading.record("(record without history)", Use::unknown);
      return;
    }
    read_events(reading, text_at(value, "instance_id"), events, "history");
    for (const std::string_view other : {"metrics", "metadata", "instance", "test_result"})
      if (member_value(value, other)) reading.record(std::string(other), Use::meta);
  });
}

}  // namespace

const Format kOpenHands = {"openhands-events", "OpenHands V0 events, bare or at \"history\"",
                           recognise, read};

}  // namespace toktier::replay::formats
