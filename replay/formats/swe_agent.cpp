// SWE-agent's .traj: one object, one session. "history" is what the model read; "trajectory" says
// the same again step by step, with the whole prompt of each step in newer versions.

#include "replay/chat_list.hpp"
#include "replay/formats/formats.hpp"

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("history[].role") ||
         (outline.has("trajectory[].action") && outline.has("trajectory[].observation"));
}

void read(Input& input, Reading& reading) {
  for_each_value(input, reading, [&](Json value) {
    const auto history = member(value, "history");
    if (!history) {
      reading.problem("history", "", "required field is missing");
      reading.record("(record without history)", Use::unknown);
      return;
    }
    Session session;
    if (const auto info = member(value, "info")) {
      reading.record("info", Use::meta);
    }
    const std::string key = reading.open(text_at(value, "environment"), session);
    append_chat_list(reading, key, *history, "history");
    reading.close(key);
    simdjson::dom::array steps;
    if (const auto trajectory = member(value, "trajectory");
        trajectory && trajectory->get(steps) == simdjson::SUCCESS) {
      for (std::size_t i = 0; i < steps.size(); ++i)
        reading.record("trajectory step", Use::repeated);
    }
  });
}

}  // namespace

const Format kSweAgent = {"swe-agent-traj", "SWE-agent .traj: history of one session", recognise,
                          read};

}  // namespace toktier::replay::formats
