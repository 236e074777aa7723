// Kimi Code's wire log: context.append_message and the parts of loop events make the context;
// turn.prompt says the same as the message behind it. A state.json beside it holds no text.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("protocol_version") || (outline.has("agents.main.homedir")) ||
         outline.text("type").starts_with("context.");
}

constexpr std::array<std::string_view, 20> kMeta = {"metadata",
                                                    "tools.set_active_tools",
                                                    "llm.tools_snapshot",
                                                    "llm.request",
                                                    "usage.record",
                                                    "permission.record_approval_result",
                                                    "permission.set_mode",
                                                    "plan_mode.enter",
                                                    "plan_mode.exit",
                                                    "full_compaction.begin",
                                                    "full_compaction.complete",
                                                    "turn.cancel",
                                                    "turn.ended",
                                                    "profile.bind",
                                                    "plugin.session_start",
                                                    "runtime.set_binding",
                                                    "token_counting.measured",
                                                    "token_counting.turn_recorded",
                                                    "turn.steer",
                                                    "turn.prompt"};

class Kimi {
 public:
  explicit Kimi(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    const auto time = number_at(value, "time");
    time_ = time ? time_of_number(*time) : std::nullopt;
    const std::string_view type = text_at(value, "type");
    if (member(value, "agents")) {
      reading_.record("state", Use::meta);
    } else if (type == "config.update") {
      config(value);
    } else if (type == "context.append_message") {
      Message message;
      const auto inner = member_value(value, "message");
      if (inner && read_chat_message(reading_, *inner, "message", message)) {
        if (const auto calls = member(*inner, "toolCalls"))
          add_tool_calls(reading_, *calls, "message.toolCalls", message);
        append(std::move(message), type);
      }
    } else if (type == "context.append_loop_event") {
      event(value);
    } else if (type == "context.apply_compaction") {
      Step step;
      step.op = Op::replace;
      step.keep = length_;
      step.time_ms = time_;
      std::string_view text = text_at(value, "contextSummary");
      if (text.empty()) text = text_at(value, "summary");
      step.messages.push_back(text_message(Role::user, text));
      length_ = 1;
      reading_.record(type, Use::text);
      reading_.step(session(), std::move(step));
    } else if (std::find(kMeta.begin(), kMeta.end(), type) != kMeta.end()) {
      reading_.record(type,
                      type == "turn.prompt" || type == "turn.steer" ? Use::repeated : Use::meta);
    } else {
      reading_.record(std::string(shown_text(type, 40)), Use::unknown);
    }
  }

 private:
  const std::string& session() {
    if (key_.empty()) key_ = reading_.open("");
    return key_;
  }

  void append(Message message, std::string_view kind) {
    reading_.record(kind, Use::text);
    Step step;
    step.time_ms = time_;
    step.messages.push_back(std::move(message));
    ++length_;
    reading_.step(session(), std::move(step));
  }

  void config(Json value) {
    const std::string_view prompt = text_at(value, "systemPrompt");
    if (prompt.empty() || length_ > 0) {
      reading_.record("config.update", Use::meta);
      return;
    }
    append(text_message(Role::system, prompt), "config.update");
  }

  void event(Json value) {
    const auto inner = member_value(value, "event");
    const std::string_view type = inner ? text_at(*inner, "type") : std::string_view();
    const std::string kind = fmt::format("event {}", shown_text(type, 40));
    Message message;
    message.role = Role::assistant;
    if (type == "content.part") {
      const auto part = member_value(*inner, "part");
      if (part && text_at(*part, "type") == "think") {
        message.parts.push_back(text_part(text_at(*part, "think")));
        message.parts.back().kind = PartKind::thinking;
      } else if (part) {
        add_content(reading_, *part, "event.part", message);
      }
      append(std::move(message), kind);
    } else if (type == "tool.call") {
      Part part{PartKind::tool_call, "", std::string(text_at(*inner, "name")),
                std::string(text_at(*inner, "toolCallId"))};
      if (const auto args = member_value(*inner, "args")) part.text = text_or_json(*args);
      message.parts.push_back(std::move(part));
      append(std::move(message), kind);
    } else if (type == "tool.result") {
      message.role = Role::tool;
      Part part{PartKind::tool_result, "", "", std::string(text_at(*inner, "toolCallId"))};
      const auto result = member_value(*inner, "result");
      if (const auto output = result ? member_value(*result, "output") : std::nullopt)
        part.text = text_or_json(*output);
      message.parts.push_back(std::move(part));
      append(std::move(message), kind);
    } else if (type == "step.end") {
      reading_.record(kind, Use::meta);
      Step step;
      step.time_ms = time_;
      step.call = true;
      if (const auto usage = member_value(*inner, "usage")) {
        step.usage = Usage{};
        step.usage->cached = count_at(*usage, "inputCacheRead");
        step.usage->cache_written = count_at(*usage, "inputCacheCreation");
        step.usage->output = count_at(*usage, "output");
        if (const auto other = count_at(*usage, "inputOther"))
          step.usage->input = *other + step.usage->cached.value_or(0);
      }
      reading_.step(session(), std::move(step));
    } else {
      reading_.record(kind, type == "step.begin" ? Use::meta : Use::unknown);
    }
  }

  Reading& reading_;
  std::string key_;
  std::optional<std::int64_t> time_;
  std::uint64_t length_ = 0;
};

void read(Input& input, Reading& reading) {
  Kimi file(reading);
  for_each_value(input, reading, [&](Json value) { file.line(value); });
}

}  // namespace

const Format kKimi = {"kimi-code", "Kimi Code wire logs and states", recognise, read};

}  // namespace toktier::replay::formats
