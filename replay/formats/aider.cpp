// aider's .aider.chat.history.md: sessions begin at "# aider chat started at TIME"; "#### " lines
// are the user's, "> " lines output of tools, the rest is the model's. Nothing is escaped, so text
// of the model that starts like that is taken for the others'. Two blanks at line ends are layout.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/text_lines.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

constexpr std::string_view kStart = "# aider chat started at";

bool recognise(const Outline& outline) { return outline.line_starts(kStart); }

class Aider {
 public:
  explicit Aider(Reading& reading) : reading_(reading) {}

  void line(std::string_view line) {
    if (line.starts_with(kStart)) {
      flush();
      if (!key_.empty()) reading_.close(key_);
      const std::string_view time = line.substr(std::min(line.size(), kStart.size() + 1));
      time_ = parse_time(time);
      key_ = reading_.open(time);
      reading_.record("start of a session", Use::meta);
      return;
    }
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      block_.add("");  // belongs to whatever stands around it
      return;
    }
    Role role = Role::assistant;
    if (line.starts_with("#### ") || line == "####") {
      role = Role::user;
      line.remove_prefix(std::min<std::size_t>(5, line.size()));
    } else if (line.starts_with("> ") || line == ">") {
      role = Role::tool;
      line.remove_prefix(std::min<std::size_t>(2, line.size()));
    }
    if (role != role_) flush();
    role_ = role;
    if (line.ends_with("  ")) line.remove_suffix(2);
    block_.add(line);
  }

  void flush() {
    if (block_.blank()) {
      (void)block_.take();
      return;
    }
    if (key_.empty()) key_ = reading_.open("");  // the file begins inside a session
    reading_.record(fmt::format("block {}", name_of(role_)), Use::text);
    Step step;
    step.time_ms = time_;
    step.messages.push_back(text_message(role_, block_.take()));
    if (role_ == Role::tool) step.messages.back().parts.back().kind = PartKind::tool_result;
    time_.reset();  // only the start of a session has one
    reading_.step(key_, std::move(step));
  }

 private:
  Reading& reading_;
  std::string key_;
  std::optional<std::int64_t> time_;
  Role role_ = Role::assistant;
  Block block_;
};

void read(Input& input, Reading& reading) {
  TextLines lines(input, reading);
  Aider history(reading);
  std::string_view line;
  while (lines.next(line)) history.line(line);
  history.flush();
}

}  // namespace

const Format kAider = {"aider-chat-md", "aider's chat histories in markdown", recognise, read};

}  // namespace toktier::replay::formats
