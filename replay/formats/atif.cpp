// Harbor's trajectory.json (ATIF). The message of a step with tool calls is a filler made by the
// converter ("Executed Read toolu_..."), no text of the model.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.text("schema_version").starts_with("ATIF");
}

void read_calls(Reading& reading, Json step, std::string_view field, Message& out) {
  const auto list = member_value(step, "tool_calls");
  simdjson::dom::array calls;
  if (!list) return;
  if (list->get(calls) != simdjson::SUCCESS) {
    reading.wrong_type(fmt::format("{}.tool_calls", field), *list, "a list");
    return;
  }
  for (const Json call : calls) {
    Part part;
    part.kind = PartKind::tool_call;
    part.name = text_at(call, "function_name");
    part.id = text_at(call, "tool_call_id");
    if (const auto arguments = member_value(call, "arguments"))
      part.text = text_or_json(*arguments);
    out.parts.push_back(std::move(part));
  }
}

void read_results(Reading& reading, const std::string& key, Json step, const Step& like) {
  const auto observation = member_value(step, "observation");
  const auto list = observation ? member_value(*observation, "results") : std::nullopt;
  simdjson::dom::array results;
  if (!list || list->get(results) != simdjson::SUCCESS) return;
  for (const Json result : results) {
    Message message;
    message.role = Role::tool;
    Part part;
    part.kind = PartKind::tool_result;
    part.id = text_at(result, "source_call_id");
    if (const auto content = member_value(result, "content")) part.text = text_or_json(*content);
    message.parts.push_back(std::move(part));
    reading.record("observation", Use::text);
    Step out;
    out.time_ms = like.time_ms;
    out.messages.push_back(std::move(message));
    reading.step(key, std::move(out));
  }
}

void read_step(Reading& reading, const std::string& key, Json value, std::string_view field) {
  const std::string_view source = text_at(value, "source");
  const auto role = role_of(source);
  if (!role) {
    reading.problem(fmt::format("{}.source", field), shown_text(source), "not a known source");
    reading.record("(step of unknown source)", Use::unknown);
    return;
  }
  Step step;
  step.time_ms = parse_time(text_at(value, "timestamp"));
  Message message;
  message.role = *role;
  if (const std::string_view thinking = text_at(value, "reasoning_content"); !thinking.empty()) {
    message.parts.push_back(text_part(thinking));
    message.parts.back().kind = PartKind::thinking;
  }
  const std::string_view text = text_at(value, "message");
  const bool tools = member_value(value, "tool_calls").has_value();
  if (tools && text.starts_with("Executed ")) {
    reading.record("filler message", Use::repeated);
  } else if (!text.empty() || !tools) {
    message.parts.push_back(text_part(text));
  }
  read_calls(reading, value, field, message);
  if (const auto metrics = member_value(value, "metrics")) {
    step.call = true;
    step.usage = read_usage(*metrics);
  }
  reading.record(fmt::format("step {}", source), Use::text);
  const Step like = step;
  step.messages.push_back(std::move(message));
  reading.step(key, std::move(step));
  read_results(reading, key, value, like);
}

void read(Input& input, Reading& reading) {
  for_each_value(input, reading, [&](Json value) {
    const auto list = member(value, "steps");
    simdjson::dom::array steps;
    if (!list || list->get(steps) != simdjson::SUCCESS) {
      reading.problem("steps", list ? shown(*list) : "", "a list of steps expected");
      reading.record("(trajectory without steps)", Use::unknown);
      return;
    }
    Session session;
    if (const auto agent = member_value(value, "agent"))
      session.model = text_at(*agent, "model_name");
    const std::string key = reading.open(text_at(value, "session_id"), session);
    std::size_t index = 0;
    for (const Json step : steps) {
      const std::string field = fmt::format("steps[{}]", index++);
      if (step.is_object()) {
        read_step(reading, key, step, field);
      } else {
        reading.wrong_type(field, step, "a step");
      }
    }
    reading.close(key);
    if (member(value, "final_metrics")) reading.record("final_metrics", Use::meta);
  });
}

}  // namespace

const Format kAtif = {"atif-trajectory", "Harbor / Terminal-Bench 2 trajectory.json (ATIF)",
                      recognise, read};

}  // namespace toktier::replay::formats
