// Claude Code's session files. One response is written as several lines, a block each, with the
// same message.id and the same usage on each; the lines form a tree by parentUuid.
//
// File order is followed. A parent with two children is nearly always a parallel tool call: the
// next call of the response and the result of this one hang off the same line. Only when a new line
// hangs off an earlier line, and between the two stands something of another exchange, was the
// session rolled back there (edited prompt, retry). Items of one exchange: a prompt; a response
// with the results of its calls.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  if (outline.has("loglines[].message")) return true;
  if (outline.has("message.parts")) return false;
  return outline.has("sessionId") && outline.has("message.role") && outline.has("type");
}

constexpr std::array<std::string_view, 19> kMeta = {"attachment",
                                                    "queue-operation",
                                                    "agent-setting",
                                                    "agent-name",
                                                    "last-prompt",
                                                    "mode",
                                                    "permission-mode",
                                                    "ai-title",
                                                    "custom-title",
                                                    "progress",
                                                    "summary",
                                                    "worktree-state",
                                                    "pr-link",
                                                    "file-history-snapshot",
                                                    "relocated",
                                                    "frame-link",
                                                    "started",
                                                    "result",
                                                    "tag"};

/// One conversation of the file: the main one, or that of a sub-agent.
struct Conversation {
  std::string key;
  std::vector<std::string> exchanges;  // of each message of the context
  struct Place {
    std::uint64_t after = 0;  // messages in the context after the line
    std::uint64_t epoch = 0;  // compactions before it
    std::string exchange;
  };
  std::unordered_map<std::string, Place> lines;          // by uuid
  std::unordered_map<std::string, std::string> of_call;  // exchange by tool_use id
  std::uint64_t epoch = 0;
  // The last message, kept back until it is known whether its response goes on.
  std::optional<Step> pending;
  std::string pending_response;
  std::optional<Usage> usage;
};

class ClaudeCode {
 public:
  explicit ClaudeCode(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    const std::string_view type = text_at(value, "type");
    const bool summary = type == "summary" && member_value(value, "message");
    if (type == "user" || type == "assistant" || summary) {
      conversation_line(value, type);
      return;
    }
    if (type == "system") {
      reading_.record(fmt::format("system/{}", shown_text(text_at(value, "subtype"), 40)),
                      Use::meta);
      inherit(value);
    } else if (std::find(kMeta.begin(), kMeta.end(), type) != kMeta.end()) {
      reading_.record(std::string(type), Use::meta);
      inherit(value);
    } else {
      reading_.record(type.empty() ? "(without type)" : std::string(shown_text(type, 40)),
                      Use::unknown);
    }
  }

  void finish() {
    for (auto& [name, conversation] : conversations_) flush(conversation, true);
  }

 private:
  /// A line without text takes part in the tree.
  void inherit(Json value) {
    const std::string uuid(text_at(value, "uuid"));
    if (uuid.empty()) return;
    Conversation& c = conversation(value);
    const auto parent = c.lines.find(std::string(text_at(value, "parentUuid")));
    c.lines[uuid] = parent != c.lines.end()
                        ? parent->second
                        : Conversation::Place{c.exchanges.size(), c.epoch, std::string()};
  }

  Conversation& conversation(Json value) {
    std::string name;
    if (flag_at(value, "isSidechain")) {
      name = text_at(value, "agentId");
      if (name.empty()) {
        const std::string parent(text_at(value, "parentUuid"));
        const auto root = side_roots_.find(parent);
        name = root != side_roots_.end() ? root->second : std::string(text_at(value, "uuid"));
        side_roots_[std::string(text_at(value, "uuid"))] = name;
      }
      name = "sidechain " + name;
    } else {
      name = main_name(value);
    }
    Conversation& found = conversations_[name];
    if (const std::string uuid(text_at(value, "uuid")); !uuid.empty()) owner_.emplace(uuid, name);
    return found;
  }

  /// Lines of another session that hang off nothing here are a conversation of their own.
  std::string main_name(Json value) {
    const auto parent = owner_.find(std::string(text_at(value, "parentUuid")));
    if (parent != owner_.end()) return parent->second;
    const std::string session(text_at(value, "sessionId"));
    if (main_session_.empty()) main_session_ = session;
    const bool other = !session.empty() && session != main_session_ && parent == owner_.end() &&
                       !member_value(value, "parentUuid");
    return other ? "session " + session : std::string();
  }

  const std::string& key(Conversation& c, Json value) {
    if (c.key.empty()) {
      Session session;
      if (const auto message = member_value(value, "message"))
        session.model = text_at(*message, "model");
      const std::string_view id = text_at(value, "sessionId");
      if (flag_at(value, "isSidechain")) {
        session.parent = id;
        c.key = reading_.open(text_at(value, "agentId"), session);
      } else {
        c.key = reading_.open(id, session);
      }
    }
    return c.key;
  }

  void flush(Conversation& c, bool response_done) {
    if (!c.pending) return;
    if (response_done && c.usage) {
      c.pending->call = true;
      c.pending->usage = std::exchange(c.usage, std::nullopt);
    }
    reading_.step(c.key, std::move(*c.pending));
    c.pending.reset();
  }

  void put(Conversation& c, Step&& step, const std::string& response) {
    flush(c, c.pending_response != response || response.empty());
    c.pending = std::move(step);
    c.pending_response = response;
  }

  void conversation_line(Json value, std::string_view type) {
    const auto inner = member_value(value, "message");
    if (!inner || !inner->is_object()) {
      reading_.problem("message", inner ? shown(*inner) : "", "an object expected");
      reading_.record(std::string(type), Use::unknown);
      return;
    }
    Conversation& c = conversation(value);
    const std::string uuid(text_at(value, "uuid"));
    if (!uuid.empty() && c.lines.count(uuid) > 0) {
      reading_.record(fmt::format("{}, again", type), Use::repeated);
      return;
    }
    key(c, value);
    std::vector<Message> messages = read_blocks(*inner, type);
    const std::string response = response_id(value, *inner, type);
    const std::string exchange = exchange_of(c, value, messages, response, uuid);
    reading_.record(std::string(type), Use::text);
    const auto time = parse_time(text_at(value, "timestamp"));
    Step first;
    first.time_ms = time;
    place(c, value, exchange, type, first);
    if (const auto usage = member_value(*inner, "usage"); usage && type == "assistant") {
      if (c.pending_response != response) flush(c, true);
      c.usage = read_usage(*usage);
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      Step step;
      if (i == 0) step = std::move(first);
      step.time_ms = time;
      step.line = reading_.line();
      for (const Part& part : messages[i].parts)
        if (part.kind == PartKind::tool_call && !part.id.empty()) c.of_call[part.id] = exchange;
      step.messages.push_back(std::move(messages[i]));
      c.exchanges.push_back(exchange);
      put(c, std::move(step), response);
    }
    if (!uuid.empty()) c.lines[uuid] = {c.exchanges.size(), c.epoch, exchange};
  }

  /// Each block is a message of its own: that is how the lines come.
  std::vector<Message> read_blocks(Json inner, std::string_view type) {
    Message all;
    all.role = type == "assistant" ? Role::assistant : Role::user;
    if (const auto role = role_of(text_at(inner, "role")); role && type != "assistant")
      all.role = *role;
    if (const auto content = member(inner, "content"))
      add_content(reading_, *content, "message.content", all);
    std::vector<Message> messages;
    for (Part& part : all.parts) {
      Message message;
      message.role = part.kind == PartKind::tool_result ? Role::tool : all.role;
      message.id = text_at(inner, "id");
      message.parts.push_back(std::move(part));
      messages.push_back(std::move(message));
    }
    return messages;
  }

  static std::string response_id(Json value, Json inner, std::string_view type) {
    if (type != "assistant") return {};
    std::string_view id = text_at(inner, "id");
    if (id.empty()) id = text_at(value, "uuid");
    return std::string(id);
  }

  static std::string exchange_of(const Conversation& c, Json value,
                                 const std::vector<Message>& messages, const std::string& response,
                                 const std::string& uuid) {
    if (!response.empty()) return response;
    for (const Message& message : messages) {
      if (message.role != Role::tool) continue;
      const auto call = c.of_call.find(message.parts.front().id);
      if (call != c.of_call.end()) return call->second;
      // A result without the id of its call belongs to what it hangs off.
      const auto parent = c.lines.find(std::string(text_at(value, "parentUuid")));
      if (parent != c.lines.end()) return parent->second.exchange;
    }
    return uuid;
  }

  /// What the line does to the context: replace, rewind, or append.
  void place(Conversation& c, Json value, const std::string& exchange, std::string_view type,
             Step& step) {
    if (flag_at(value, "isCompactSummary") || type == "summary") {
      step.op = Op::replace;
      step.keep = c.exchanges.size();
      c.exchanges.clear();
      ++c.epoch;
      return;
    }
    const auto parent = c.lines.find(std::string(text_at(value, "parentUuid")));
    if (parent == c.lines.end() || parent->second.epoch != c.epoch) return;
    const std::uint64_t after = parent->second.after;
    const auto begin = c.exchanges.begin() + static_cast<std::ptrdiff_t>(
                                                 std::min<std::size_t>(after, c.exchanges.size()));
    const bool rolled_back = std::any_of(begin, c.exchanges.end(), [&](const std::string& other) {
      return other != parent->second.exchange && other != exchange;
    });
    if (!rolled_back) return;
    step.op = Op::rewind;
    step.keep = after;
    c.exchanges.erase(begin, c.exchanges.end());
  }

  Reading& reading_;
  std::map<std::string, Conversation> conversations_;
  std::unordered_map<std::string, std::string> side_roots_;
  std::unordered_map<std::string, std::string> owner_;  // conversation by uuid
  std::string main_session_;
};

void read(Input& input, Reading& reading) {
  ClaudeCode file(reading);
  if (input.outline.has("loglines")) {
    with_whole_file(input, reading, [&](Json value) {
      const auto list = member(value, "loglines");
      simdjson::dom::array lines;
      if (!list || list->get(lines) != simdjson::SUCCESS) {
        reading.problem("loglines", list ? shown(*list) : "", "a list expected");
        return;
      }
      for (const Json line : lines) file.line(line);
    });
  } else {
    for_each_line(input, reading, [&](Json value) { file.line(value); });
  }
  file.finish();
}

}  // namespace

const Format kClaudeCode = {"claude-code-jsonl", "Claude Code session files", recognise, read};

}  // namespace toktier::replay::formats
