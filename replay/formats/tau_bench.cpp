// tau-bench: a list of runs with their messages at "traj"; few-shot files with one string a line.

#include "replay/chat_list.hpp"
#include "replay/content.hpp"
#include "replay/formats/formats.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("[].traj") || outline.has("messages_display") ||
         outline.has("[].messages_display");
}

void read(Input& input, Reading& reading) {
  for_each_value(input, reading, [&](Json value) {
    if (const auto display = member(value, "messages_display")) {
      std::string_view text;
      if (display->get(text) != simdjson::SUCCESS) {
        reading.wrong_type("messages_display", *display, "a string");
        return;
      }
      // One text that a prompt shows as an example; its lines are no messages of ours.
      const std::string key = reading.open("");
      reading.record("messages_display", Use::text);
      Step step;
      step.messages.push_back(text_message(Role::user, text));
      reading.step(key, std::move(step));
      reading.close(key);
      return;
    }
    const auto messages = member(value, "traj");
    if (!messages) {
      reading.record("(record without traj)", Use::unknown);
      return;
    }
    std::string id;
    if (const auto task = member(value, "task_id")) id = text_or_json(*task);
    if (const auto trial = member(value, "trial")) id += fmt::format("/{}", text_or_json(*trial));
    const std::string key = reading.open(id);
    append_chat_list(reading, key, *messages, "traj");
    reading.close(key);
    if (member(value, "info")) reading.record("info", Use::meta);
  });
}

}  // namespace

const Format kTauBench = {"tau-bench", "tau-bench runs (\"traj\") and few-shot displays", recognise,
                          read};

}  // namespace toktier::replay::formats
