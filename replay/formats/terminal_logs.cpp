// Captures of terminals (asciinema, tmux) and results of Terminal-Bench. No transcripts: escapes,
// redrawn screens. Each line, or each event of a recording, is an append of terminal output.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/text_lines.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recording(const Outline& outline) {
  return outline.text("version") == "2" && outline.has("width") && outline.has("height");
}

bool recognise(const Outline& outline) {
  if (recording(outline) || (outline.has("trial_name") && outline.has("instruction"))) return true;
  return outline.values() == 0 &&
         outline.head().substr(0, 4096).find("\x1b[") != std::string_view::npos;
}

void append(Reading& reading, const std::string& key, Role role, std::string_view text,
            std::optional<std::int64_t> time) {
  Step step;
  step.time_ms = time;
  step.messages.push_back(text_message(role, text));
  reading.step(key, std::move(step));
}

void read_recording(Input& input, Reading& reading) {
  std::string key;
  std::int64_t start = 0;
  for_each_line(
      input, reading,
      [&](Json value) {
        simdjson::dom::array event;
        if (value.get(event) != simdjson::SUCCESS) {
          reading.record("header", Use::meta);
          if (const auto time = count_at(value, "timestamp"))
            start = static_cast<std::int64_t>(*time) * 1000;
          return;
        }
        double at = 0;
        std::string_view kind, text;
        if (event.size() < 3 || event.at(0).get(at) != simdjson::SUCCESS ||
            event.at(1).get(kind) != simdjson::SUCCESS ||
            event.at(2).get(text) != simdjson::SUCCESS) {
          reading.problem("", shown(value), "no event [time, kind, text]");
          reading.record("(damaged event)", Use::unknown);
          return;
        }
        if (kind != "o" && kind != "i") {
          reading.record(fmt::format("event {}", shown_text(kind, 10)), Use::unknown);
          return;
        }
        if (key.empty()) key = reading.open("");
        reading.record(kind == "o" ? "output" : "input", Use::text);
        append(reading, key, kind == "o" ? Role::tool : Role::assistant, text,
               start + static_cast<std::int64_t>(at * 1000));
      },
      Values::any);
}

void read_result(Reading& reading, Json value) {
  const auto instruction = member(value, "instruction");
  if (!instruction || !instruction->is_string()) {
    reading.record("(result without instruction)", Use::unknown);
    return;
  }
  reading.record("instruction", Use::text);
  const std::string key = reading.open(text_at(value, "trial_name"));
  append(reading, key, Role::user, text_or_json(*instruction), std::nullopt);
  reading.close(key);
}

void read(Input& input, Reading& reading) {
  if (recording(input.outline)) {
    read_recording(input, reading);
    return;
  }
  if (input.outline.values() > 0) {
    for_each_value(input, reading, [&](Json value) { read_result(reading, value); });
    return;
  }
  TextLines lines(input, reading);
  std::string key;
  std::string_view line;
  while (lines.next(line)) {
    if (key.empty()) key = reading.open("");
    reading.record("line", Use::text);
    append(reading, key, Role::tool, std::string(line) + '\n', std::nullopt);
  }
}

}  // namespace

const Format kTerminalLogs = {"terminal-bench-logs",
                              "captures of terminals and Terminal-Bench results", recognise, read};

}  // namespace toktier::replay::formats
