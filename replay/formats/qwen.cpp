// Qwen Code's session files: lines with uuid and parentUuid, messages in Google's shape. A line
// system/rewind cuts the context back to the line that targetUuid names.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <unordered_map>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("message.parts") && outline.has("sessionId");
}

class QwenCode {
 public:
  explicit QwenCode(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    const std::string_view type = text_at(value, "type");
    const std::string uuid(text_at(value, "uuid"));
    if (type == "system") {
      const std::string_view subtype = text_at(value, "subtype");
      reading_.record(fmt::format("system/{}", shown_text(subtype, 40)), Use::meta);
      if (subtype == "rewind") rewind(value);
    } else if (type == "user" || type == "assistant" || type == "tool_result") {
      message(value, type);
    } else {
      reading_.record(std::string(shown_text(type, 40)), Use::unknown);
    }
    if (!uuid.empty()) after_[uuid] = length_;
  }

 private:
  const std::string& session(Json value) {
    if (key_.empty()) {
      Session session;
      session.model = text_at(value, "model");
      key_ = reading_.open(text_at(value, "sessionId"), session);
    }
    return key_;
  }

  void rewind(Json value) {
    const auto payload = member_value(value, "systemPayload");
    const auto target =
        after_.find(std::string(payload ? text_at(*payload, "targetUuid") : std::string_view()));
    if (target == after_.end()) {
      reading_.problem("systemPayload.targetUuid", "", "names no line before this one");
      return;
    }
    Step step;
    step.op = Op::rewind;
    step.keep = std::min(target->second, length_);
    step.time_ms = parse_time(text_at(value, "timestamp"));
    length_ = step.keep;
    reading_.step(session(value), std::move(step));
  }

  void message(Json value, std::string_view type) {
    const auto inner = member_value(value, "message");
    const auto parts = inner ? member(*inner, "parts") : std::nullopt;
    if (!parts) {
      reading_.problem("message.parts", "", "required field is missing");
      reading_.record(std::string(type), Use::unknown);
      return;
    }
    Message message;
    message.role = type == "assistant" ? Role::assistant : type == "user" ? Role::user : Role::tool;
    message.id = text_at(value, "uuid");
    add_content(reading_, *parts, "message.parts", message);
    reading_.record(std::string(type), Use::text);
    Step step;
    step.time_ms = parse_time(text_at(value, "timestamp"));
    if (const auto usage = member_value(value, "usageMetadata")) {
      step.call = true;
      step.usage = read_usage(*usage);
    }
    step.messages.push_back(std::move(message));
    ++length_;
    reading_.step(session(value), std::move(step));
  }

  Reading& reading_;
  std::string key_;
  std::uint64_t length_ = 0;
  std::unordered_map<std::string, std::uint64_t> after_;  // messages in the context after a line
};

void read(Input& input, Reading& reading) {
  QwenCode file(reading);
  for_each_line(input, reading, [&](Json value) { file.line(value); });
}

}  // namespace

const Format kQwen = {"qwen-code-jsonl", "Qwen Code session files", recognise, read};

}  // namespace toktier::replay::formats
