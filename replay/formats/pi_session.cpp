// Sessions of the pi coding agent. A compaction line makes the context its summary and the entries
// of the file from firstKeptEntryIndex on (the header is entry 0).

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.text("type") == "session" && !outline.has("parentId") &&
         (outline.has("message.role") || outline.has("modelId") || outline.has("provider"));
}

class PiSession {
 public:
  explicit PiSession(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    time_ = parse_time(text_at(value, "timestamp"));
    const std::string_view type = text_at(value, "type");
    if (type == "session") {
      Session session;
      session.model = text_at(value, "modelId");
      session.parent = text_at(value, "branchedFrom");
      if (key_.empty()) key_ = reading_.open(text_at(value, "id"), session);
      reading_.record("session", Use::meta);
    } else if (type == "message") {
      message(value);
    } else if (type == "compaction") {
      compaction(value);
    } else if (type == "thinking_level_change" || type == "model_change") {
      reading_.record(std::string(type), Use::meta);
    } else {
      reading_.record(std::string(shown_text(type, 40)), Use::unknown);
    }
    ++entry_;
  }

 private:
  const std::string& session() {
    if (key_.empty()) key_ = reading_.open("");
    return key_;
  }

  void message(Json value) {
    const auto inner = member_value(value, "message");
    if (!inner || !inner->is_object()) {
      reading_.problem("message", inner ? shown(*inner) : "", "an object expected");
      reading_.record("message", Use::unknown);
      return;
    }
    const std::string_view role = text_at(*inner, "role");
    Message message;
    if (role == "bashExecution") {
      message.role = Role::user;
      message.parts.push_back(text_part(text_at(*inner, "command")));
      message.parts.push_back(text_part(text_at(*inner, "output")));
    } else {
      const auto known = role_of(role);
      if (!known) {
        reading_.problem("message.role", shown_text(role), "not a known role");
        reading_.record(fmt::format("message {}", shown_text(role, 30)), Use::unknown);
        return;
      }
      message.role = *known;
      if (const auto content = member(*inner, "content"))
        add_content(reading_, *content, "message.content", message);
      if (message.role == Role::tool) {
        for (Part& part : message.parts) {
          if (part.kind == PartKind::text) part.kind = PartKind::tool_result;
          part.id = text_at(*inner, "toolCallId");
          part.name = text_at(*inner, "toolName");
        }
      }
    }
    reading_.record(fmt::format("message {}", role), Use::text);
    Step step;
    step.time_ms = time_;
    if (const auto usage = member_value(*inner, "usage"); usage && from_model(message)) {
      step.call = true;
      step.usage = read_usage(*usage);
    }
    step.messages.push_back(std::move(message));
    entries_.push_back(entry_);
    reading_.step(session(), std::move(step));
  }

  void compaction(Json value) {
    const std::uint64_t first = count_at(value, "firstKeptEntryIndex").value_or(entry_);
    const auto kept = std::find_if(entries_.begin(), entries_.end(),
                                   [first](std::uint64_t entry) { return entry >= first; });
    Step step;
    step.op = Op::replace;
    step.time_ms = time_;
    step.keep = static_cast<std::uint64_t>(kept - entries_.begin());
    step.messages.push_back(text_message(Role::user, text_at(value, "summary")));
    entries_.erase(entries_.begin(), kept);
    entries_.insert(entries_.begin(), 0);  // the summary stands for what was before
    reading_.record("compaction", Use::text);
    reading_.step(session(), std::move(step));
  }

  Reading& reading_;
  std::string key_;
  std::optional<std::int64_t> time_;
  std::uint64_t entry_ = 0;
  std::vector<std::uint64_t> entries_;  // of each message of the context
};

void read(Input& input, Reading& reading) {
  PiSession session(reading);
  for_each_line(input, reading, [&](Json value) { session.line(value); });
}

}  // namespace

const Format kPiSession = {"pi-session-jsonl", "sessions of the pi coding agent", recognise, read};

}  // namespace toktier::replay::formats
