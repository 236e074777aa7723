// tau2-bench: results.json with simulations inside, or one file per simulation. Voice runs have
// ticks instead of messages; their text may be stripped, then only their number is left.

#include "replay/chat_list.hpp"
#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("ticks[].tick_id") || outline.has("messages[].turn_idx") ||
         outline.has("simulations[].task_id") ||
         (outline.has("tasks") && outline.has("info.environment_info"));
}

/// A chunk of a tick: text when the run kept it.
void read_chunk(Reading& reading, const std::string& key, Json tick, std::string_view side) {
  const auto chunk = member_value(tick, side);
  if (!chunk) return;
  const auto content = member_value(*chunk, "content");
  if (!content) {
    reading.record(fmt::format("{} without text", side), Use::meta);
    return;
  }
  Step step;
  step.time_ms = parse_time(text_at(tick, "timestamp"));
  Message message;
  message.role = side == "agent_chunk" ? Role::assistant : Role::user;
  add_content(reading, *content, fmt::format("ticks[].{}.content", side), message);
  reading.record(std::string(side), Use::text);
  step.messages.push_back(std::move(message));
  reading.step(key, std::move(step));
}

void read_simulation(Reading& reading, Json value) {
  const auto messages = member_value(value, "messages");
  const auto ticks = member_value(value, "ticks");
  if (!messages && !ticks) {
    reading.problem("messages", "", "a simulation without messages and ticks");
    reading.record("(simulation without messages)", Use::unknown);
    return;
  }
  const std::string key = reading.open(text_at(value, "id"));
  if (messages) append_chat_list(reading, key, *messages, "messages");
  simdjson::dom::array list;
  if (ticks && ticks->get(list) == simdjson::SUCCESS) {
    for (const Json tick : list) {
      reading.record("tick", Use::meta);
      read_chunk(reading, key, tick, "agent_chunk");
      read_chunk(reading, key, tick, "user_chunk");
    }
  } else if (ticks) {
    reading.wrong_type("ticks", *ticks, "a list");
  }
  reading.close(key);
}

void read(Input& input, Reading& reading) {
  for_each_value(input, reading, [&](Json value) {
    const auto inside = member_value(value, "simulations");
    simdjson::dom::array simulations;
    if (inside && inside->get(simulations) == simdjson::SUCCESS) {
      for (const Json simulation : simulations) read_simulation(reading, simulation);
    } else if (member(value, "ticks") || member(value, "messages")) {
      read_simulation(reading, value);
    } else {
      reading.record("run description", Use::meta);
    }
  });
}

}  // namespace

const Format kTau2Bench = {"tau2-bench", "tau2-bench results and simulations, voice ticks included",
                           recognise, read};

}  // namespace toktier::replay::formats
