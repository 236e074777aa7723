// ReAct logs as plain text: "Question: ", then "Thought N: ", "Action N: ", "Observation N: ". A
// question begins a session; lines without such a start go on with what stands before them.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/text_lines.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.line_starts("Question: ") && outline.line_starts("Thought 1: ") &&
         outline.line_starts("Action 1: ");
}

enum class Kind { other, question, thought, action, observation };

/// "Thought 12: text": what it is, and where its text begins.
Kind kind_of(std::string_view line) {
  if (line.starts_with("Question: ")) return Kind::question;
  static constexpr std::pair<std::string_view, Kind> kStarts[] = {
      {"Thought ", Kind::thought}, {"Action ", Kind::action}, {"Observation ", Kind::observation}};
  for (const auto& [start, kind] : kStarts) {
    if (!line.starts_with(start)) continue;
    std::size_t at = start.size();
    while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
    if (at > start.size() && at < line.size() && line[at] == ':') return kind;
  }
  return Kind::other;
}

bool outside(std::string_view line) {
  return line.starts_with("#####") || line.starts_with("-----") ||
         line.starts_with("BEGIN TRIAL") || line.starts_with("Trial summary") ||
         line.starts_with("Correct answer:");
}

class React {
 public:
  explicit React(Reading& reading) : reading_(reading) {}

  void line(std::string_view line) {
    const Kind kind = kind_of(line);
    if (kind == Kind::other) {
      if (outside(line)) {
        flush();
        if (!key_.empty()) reading_.close(key_);
        key_.clear();
        reading_.record("line between sessions", Use::meta);
      } else if (!key_.empty()) {
        block_.add(line);
      } else if (!line.empty()) {
        reading_.record("(text outside of sessions)", Use::unknown);
      }
      return;
    }
    flush();
    if (kind == Kind::question) {
      if (!key_.empty()) reading_.close(key_);
      key_ = reading_.open("");
    } else if (key_.empty()) {
      reading_.record("(step without question)", Use::unknown);
      return;
    }
    kind_ = kind;
    block_.add(line);
  }

  void flush() {
    if (key_.empty() || block_.blank()) {
      (void)block_.take();
      return;
    }
    static constexpr std::string_view kNames[] = {"other", "question", "thought", "action",
                                                  "observation"};
    reading_.record(std::string(kNames[static_cast<std::size_t>(kind_)]), Use::text);
    Step step;
    const Role role = kind_ == Kind::question      ? Role::user
                      : kind_ == Kind::observation ? Role::tool
                                                   : Role::assistant;
    step.messages.push_back(text_message(role, block_.take()));
    if (role == Role::tool) step.messages.back().parts.back().kind = PartKind::tool_result;
    reading_.step(key_, std::move(step));
  }

 private:
  Reading& reading_;
  std::string key_;
  Kind kind_ = Kind::other;
  Block block_;
};

void read(Input& input, Reading& reading) {
  TextLines lines(input, reading);
  React log(reading);
  std::string_view line;
  while (lines.next(line)) log.line(line);
  log.flush();
}

}  // namespace

const Format kReactText = {"react-text", "ReAct logs: Question, Thought, Action, Observation",
                           recognise, read};

}  // namespace toktier::replay::formats
