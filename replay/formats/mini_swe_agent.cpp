// mini-SWE-agent's .traj.json: a list of messages, in newer versions with an object around it.

#include "replay/chat_list.hpp"
#include "replay/formats/formats.hpp"

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  if (outline.text("trajectory_format").starts_with("mini-swe-agent")) return true;
  // The bare list is told from others by the block that its agent must write.
  return outline.has("[].role") && !outline.has("[].tool_calls") &&
         outline.head().find("```mswea_bash_command") != std::string_view::npos;
}

void read(Input& input, Reading& reading) {
  with_whole_file(input, reading, [&](Json value) {
    const std::string key = reading.open(text_at(value, "instance_id"));
    const auto messages = member(value, "messages");
    append_chat_list(reading, key, messages ? *messages : value, messages ? "messages" : "");
    reading.close(key);
  });
}

}  // namespace

const Format kMiniSweAgent = {"mini-swe-agent", "mini-SWE-agent .traj.json: a list of messages",
                              recognise, read};

}  // namespace toktier::replay::formats
