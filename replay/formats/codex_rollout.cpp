// Codex's rollout files. The model read the response_items; event_msg says the same for the screen.
// A compacted line replaces the history, thread_rolled_back cuts it; old lines stay in the file.

#include "replay/content.hpp"
#include "replay/formats/codex_items.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  if (outline.has("payload") && outline.has("type")) return true;
  return outline.has("created_at") && outline.has("role") && !outline.has("sessionId");
}

constexpr std::array<std::string_view, 9> kRepeated = {
    "user_message",       "agent_message",    "agent_reasoning",   "agent_reasoning_raw_content",
    "exec_command_begin", "exec_command_end", "patch_apply_begin", "patch_apply_end",
    "mcp_tool_call_end"};
constexpr std::array<std::string_view, 16> kMeta = {
    "task_started",        "task_complete",  "turn_started",
    "turn_complete",       "turn.completed", "turn_aborted",
    "context_compacted",   "undo_completed", "error",
    "stream_error",        "warning",        "account/rateLimits/updated",
    "thread_name_updated", "token_count",    "codex/event/raw_item",
    "item_completed"};

class Rollout {
 public:
  explicit Rollout(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    time_ = parse_time(text_at(value, "timestamp"));
    if (!time_) time_ = parse_time(text_at(value, "created_at"));
    const std::string_view type = text_at(value, "type");
    const auto payload = member_value(value, "payload");
    if (!payload) {
      bare(value, type);
    } else if (!payload->is_object()) {
      reading_.wrong_type("payload", *payload, "an object");
      reading_.record(std::string(type), Use::unknown);
    } else if (type == "session_meta") {
      meta(*payload);
    } else if (type == "response_item") {
      item(*payload, "payload", "response_item/");
    } else if (type == "event_msg") {
      event(*payload);
    } else if (type == "compacted") {
      compacted(*payload);
    } else if (type == "turn_context" || type == "world_state" ||
               type == "inter_agent_communication_metadata") {
      reading_.record(std::string(type), Use::meta);
    } else {
      reading_.record(type.empty() ? "(without type)" : std::string(shown_text(type, 40)),
                      Use::unknown);
    }
  }

 private:
  const std::string& session() {
    if (key_.empty()) key_ = reading_.open("");
    return key_;
  }

  Step step() const {
    Step step;
    step.time_ms = time_;
    return step;
  }

  void append(Message message) {
    if (message.role == Role::user) users_.push_back(length_);
    ++length_;
    Step s = step();
    s.messages.push_back(std::move(message));
    reading_.step(session(), std::move(s));
  }

  void item(Json payload, std::string_view field, std::string_view kind) {
    Message message;
    if (read_codex_item(reading_, payload, field, kind, message)) append(std::move(message));
  }

  void bare(Json value, std::string_view type) {
    // Files of the first versions: items, or the state of a session, without an envelope.
    if (type.empty() && !member(value, "role")) {
      if (key_.empty() && member(value, "id")) {
        key_ = reading_.open(text_at(value, "id"));
        reading_.record("session header", Use::meta);
      } else {
        reading_.record("(bare record)", Use::unknown);
      }
      return;
    }
    item(value, "", "");
  }

  void meta(Json payload) {
    if (!key_.empty()) {
      reading_.record("session_meta, again", Use::meta);  // copied by a fork or a resumption
      return;
    }
    Session session;
    session.parent = text_at(payload, "forked_from_id");
    key_ = reading_.open(text_at(payload, "id"), session);
    std::string_view instructions = text_at(payload, "instructions");
    if (const auto base = member_value(payload, "base_instructions"))
      instructions = text_at(*base, "text");
    reading_.record("session_meta", instructions.empty() ? Use::meta : Use::text);
    if (!instructions.empty()) append(text_message(Role::system, instructions));
  }

  void event(Json payload) {
    const std::string_view type = text_at(payload, "type");
    const std::string name = fmt::format("event_msg/{}", shown_text(type, 40));
    const auto is = [type](std::string_view known) { return known == type; };
    if (type == "thread_rolled_back") {
      rolled_back(payload);
      reading_.record(name, Use::text);
    } else if (std::any_of(kRepeated.begin(), kRepeated.end(), is)) {
      reading_.record(name, Use::repeated);
    } else if (std::any_of(kMeta.begin(), kMeta.end(), is)) {
      reading_.record(name, Use::meta);
      if (type == "token_count") tokens(payload);
    } else {
      reading_.record(name, Use::unknown);
    }
  }

  void tokens(Json payload) {
    const auto info = member_value(payload, "info");
    const auto last = info ? member_value(*info, "last_token_usage") : std::nullopt;
    if (!last) return;
    Step s = step();
    s.call = true;
    s.usage = read_usage(*last);
    reading_.step(session(), std::move(s));
  }

  void rolled_back(Json payload) {
    const std::uint64_t turns = count_at(payload, "num_turns").value_or(1);
    if (turns == 0) return;
    Step s = step();
    s.op = Op::rewind;
    s.keep = turns > users_.size() ? 0 : users_[users_.size() - turns];
    length_ = s.keep;
    while (!users_.empty() && users_.back() >= length_) users_.pop_back();
    reading_.step(session(), std::move(s));
  }

  void compacted(Json payload) {
    Step s = step();
    s.op = Op::replace;
    if (const auto history = member_value(payload, "replacement_history"))
      s.messages =
          read_codex_items(reading_, *history, "payload.replacement_history", "compacted/");
    if (s.messages.empty())
      s.messages.push_back(text_message(Role::user, text_at(payload, "message")));
    s.keep = length_;  // nothing of the old context
    length_ = s.messages.size();
    users_.clear();
    for (std::uint64_t i = 0; i < length_; ++i)
      if (s.messages[i].role == Role::user) users_.push_back(i);
    reading_.record("compacted", Use::text);
    reading_.step(session(), std::move(s));
  }

  Reading& reading_;
  std::string key_;
  std::optional<std::int64_t> time_;
  std::uint64_t length_ = 0;          // messages in the context
  std::vector<std::uint64_t> users_;  // where those of the user stand
};

void read(Input& input, Reading& reading) {
  Rollout rollout(reading);
  for_each_line(input, reading, [&](Json value) { rollout.line(value); });
}

}  // namespace

const Format kCodexRollout = {"codex-rollout-jsonl", "Codex CLI rollout files", recognise, read};

}  // namespace toktier::replay::formats
