// Gemini CLI's chats: one object with "messages", or lines of messages between a header and patches
// ({"$set": ...}); and recorded answers of its tests ({"method": "generateContentStream", ...}).

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <set>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return (outline.has("projectHash") && outline.has("sessionId")) ||
         outline.text("method").starts_with("generateContent");
}

void add_thoughts(Json value, Message& out) {
  simdjson::dom::array thoughts;
  const auto list = member_value(value, "thoughts");
  if (!list || list->get(thoughts) != simdjson::SUCCESS) return;
  for (const Json thought : thoughts) {
    std::string text(text_at(thought, "subject"));
    if (!text.empty()) text += '\n';
    text += text_at(thought, "description");
    out.parts.push_back(text_part(text));
    out.parts.back().kind = PartKind::thinking;
  }
}

/// The calls go to `calls`, what the tools answered to `results`.
void add_tools(Reading& reading, Json value, Message& calls, Message& results) {
  simdjson::dom::array list;
  const auto found = member_value(value, "toolCalls");
  if (!found || found->get(list) != simdjson::SUCCESS) return;
  for (const Json item : list) {
    Part call{PartKind::tool_call, "", std::string(text_at(item, "name")),
              std::string(text_at(item, "id"))};
    if (const auto args = member_value(item, "args")) call.text = text_or_json(*args);
    calls.parts.push_back(std::move(call));
    if (const auto result = member_value(item, "result"))
      add_content(reading, *result, "toolCalls[].result", results);
  }
}

class GeminiChat {
 public:
  explicit GeminiChat(Reading& reading) : reading_(reading) {}

  void value(Json value) {
    if (const auto messages = member(value, "messages")) {
      header(value);
      simdjson::dom::array list;
      if (messages->get(list) != simdjson::SUCCESS) {
        reading_.wrong_type("messages", *messages, "a list");
        return;
      }
      for (const Json message : list) read_message(message);
    } else if (member(value, "method")) {
      answer(value);
    } else if (member(value, "$set")) {
      reading_.record("$set", Use::meta);
    } else if (member(value, "sessionId")) {
      header(value);
    } else if (member(value, "type")) {
      read_message(value);
    } else {
      reading_.record("(record without type)", Use::unknown);
    }
  }

 private:
  void header(Json value) {
    reading_.record("header", Use::meta);
    if (key_.empty()) key_ = reading_.open(text_at(value, "sessionId"));
  }

  void emit(Step&& step) {
    if (key_.empty()) key_ = reading_.open("");
    reading_.step(key_, std::move(step));
  }

  void read_message(Json value) {
    const std::string_view type = text_at(value, "type");
    if (type == "info" || type == "error" || type == "warning") {
      reading_.record(fmt::format("message {}", type), Use::meta);
      return;
    }
    const auto role = role_of(type);
    if (!role) {
      reading_.record(fmt::format("message {}", shown_text(type, 40)), Use::unknown);
      return;
    }
    if (const std::string_view id = text_at(value, "id");
        !id.empty() && !seen_.emplace(id).second) {
      reading_.record(fmt::format("message {}, again", type), Use::repeated);
      return;
    }
    reading_.record(fmt::format("message {}", type), Use::text);
    Message message;
    message.role = *role;
    message.id = text_at(value, "id");
    add_thoughts(value, message);
    if (const auto content = member(value, "content"))
      add_content(reading_, *content, "content", message);
    Message results;
    results.role = Role::tool;
    add_tools(reading_, value, message, results);
    Step step;
    step.time_ms = parse_time(text_at(value, "timestamp"));
    if (const auto tokens = member_value(value, "tokens")) {
      step.call = true;
      step.usage = read_usage(*tokens);
    }
    Step after;
    after.time_ms = step.time_ms;
    step.messages.push_back(std::move(message));
    emit(std::move(step));
    if (results.parts.empty()) return;
    after.messages.push_back(std::move(results));
    emit(std::move(after));
  }

  /// A recorded answer: its chunks joined. The request is not in the file.
  void answer(Json value) {
    reading_.record(fmt::format("answer {}", shown_text(text_at(value, "method"), 40)), Use::text);
    Message message;
    message.role = Role::assistant;
    Step step;
    step.call = true;
    simdjson::dom::array chunks;
    const auto list = member(value, "response");
    if (!list || list->get(chunks) != simdjson::SUCCESS) {
      reading_.problem("response", list ? shown(*list) : "", "a list of chunks expected");
      return;
    }
    for (const Json chunk : chunks) {
      simdjson::dom::array candidates;
      const auto found = member(chunk, "candidates");
      if (found && found->get(candidates) == simdjson::SUCCESS && candidates.size() > 0) {
        const auto content = member_value(candidates.at(0), "content");
        const auto parts = content ? member(*content, "parts") : std::nullopt;
        if (parts) add_content(reading_, *parts, "response[].candidates[0].content.parts", message);
      }
      if (const auto usage = member_value(chunk, "usageMetadata")) step.usage = read_usage(*usage);
    }
    step.messages.push_back(std::move(message));
    emit(std::move(step));
  }

  Reading& reading_;
  std::string key_;
  std::set<std::string, std::less<>> seen_;
};

void read(Input& input, Reading& reading) {
  GeminiChat chat(reading);
  for_each_value(input, reading, [&](Json value) { chat.value(value); });
}

}  // namespace

const Format kGemini = {"gemini-cli", "Gemini CLI chats and recorded answers", recognise, read};

}  // namespace toktier::replay::formats
