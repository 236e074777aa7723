// The events of `codex exec --json`, bare or in a logger's envelope. Completed items only: started
// and updated ones say the same.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("data.item.type") || outline.has("data.thread_id") ||
         (outline.has("item.type") && outline.has("item.id")) ||
         outline.text("type") == "thread.started";
}

class Events {
 public:
  explicit Events(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    if (auto time = number_at(value, "timestamp_unix")) time_ = time_of_number(*time);
    if (const std::string_view prompt = text_at(value, "prompt"); !prompt.empty()) {
      reading_.record("prompt", Use::text);
      prompt_ = text_message(Role::user, prompt);  // its thread is named on a later line
      return;
    }
    Json event = value;
    if (member(value, "log_type") || member(value, "data")) {
      const auto data = member_value(value, "data");
      if (!data || !data->is_object()) {
        reading_.record(fmt::format("log {}", shown_text(text_at(value, "log_type"), 40)),
                        Use::meta);
        return;
      }
      event = *data;
    }
    read_event(event);
  }

  void finish() {
    if (prompt_) begin("");
  }

 private:
  void begin(std::string_view id) {
    if (key_.empty()) key_ = reading_.open(id);
    if (!prompt_) return;
    Step step;
    step.time_ms = time_;
    step.messages.push_back(std::move(*prompt_));
    prompt_.reset();
    reading_.step(key_, std::move(step));
  }

  void append(Message message, bool call = false) {
    begin("");
    Step step;
    step.time_ms = time_;
    step.call = call;
    step.messages.push_back(std::move(message));
    reading_.step(key_, std::move(step));
  }

  void read_event(Json event) {
    const std::string_view type = text_at(event, "type");
    if (type == "item.completed") {
      if (const auto item = member_value(event, "item")) {
        completed(*item);
      } else {
        reading_.problem("item", "", "required field is missing");
        reading_.record("item.completed", Use::unknown);
      }
    } else if (type == "item.started" || type == "item.updated") {
      reading_.record(std::string(type), Use::repeated);
    } else if (type == "thread.started") {
      begin(text_at(event, "thread_id"));
      reading_.record(std::string(type), Use::meta);
    } else if (type == "turn.completed") {
      reading_.record(std::string(type), Use::meta);
      if (const auto usage = member_value(event, "usage"); usage && !key_.empty()) {
        Step step;  // of all calls of the turn together: no call of its own
        step.time_ms = time_;
        step.usage = read_usage(*usage);
        reading_.step(key_, std::move(step));
      }
    } else if (type == "turn.started" || type == "turn.failed" || type == "error") {
      reading_.record(std::string(type), Use::meta);
    } else {
      reading_.record(type.empty() ? "(log record)" : std::string(shown_text(type, 40)),
                      type.empty() ? Use::meta : Use::unknown);
    }
  }

  void completed(Json item) {
    const std::string_view type = text_at(item, "type");
    const std::string name = fmt::format("item/{}", shown_text(type, 40));
    if (type == "error") {
      reading_.record(name, Use::meta);  // said to the user
      return;
    }
    Message message;
    message.role = Role::assistant;
    message.id = text_at(item, "id");
    if (type == "reasoning" || type == "agent_message") {
      message.parts.push_back(text_part(text_at(item, "text")));
      if (type == "reasoning") message.parts.back().kind = PartKind::thinking;
      reading_.record(name, Use::text);
      append(std::move(message));
      return;
    }
    Part call;
    call.kind = PartKind::tool_call;
    call.name = type;
    call.id = message.id;
    std::optional<Json> result;
    if (type == "command_execution") {
      call.text = text_at(item, "command");
      result = member_value(item, "aggregated_output");
    } else if (type == "file_change") {
      if (const auto changes = member_value(item, "changes")) call.text = text_or_json(*changes);
    } else if (type == "todo_list") {
      if (const auto items = member_value(item, "items")) call.text = text_or_json(*items);
    } else if (type == "web_search") {
      call.text = text_at(item, "query");
    } else if (type == "mcp_tool_call") {
      call.name = text_at(item, "tool");
      if (const auto arguments = member_value(item, "arguments"))
        call.text = text_or_json(*arguments);
      result = member_value(item, "result");
    } else {
      reading_.record(name, Use::unknown);
      return;
    }
    reading_.record(name, Use::text);
    const std::string id = call.id;
    message.parts.push_back(std::move(call));
    append(std::move(message));
    if (!result) return;
    Message answer;
    answer.role = Role::tool;
    answer.parts.push_back({PartKind::tool_result, text_or_json(*result), "", id});
    append(std::move(answer));
  }

  Reading& reading_;
  std::string key_;
  std::optional<std::int64_t> time_;
  std::optional<Message> prompt_;
};

void read(Input& input, Reading& reading) {
  Events events(reading);
  for_each_line(input, reading, [&](Json value) { events.line(value); });
  events.finish();
}

}  // namespace

const Format kCodexExec = {"codex-exec-json", "events of codex exec --json", recognise, read};

}  // namespace toktier::replay::formats
