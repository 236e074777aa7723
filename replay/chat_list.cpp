#include "replay/chat_list.hpp"

#include "replay/content.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay {
namespace {
bool digit(char c) { return c >= '0' && c <= '9'; }
}  // namespace

void append_chat_list(Reading& reading, const std::string& key, Json list, std::string_view field) {
  simdjson::dom::array messages;
  if (list.get(messages) != simdjson::SUCCESS) {
    reading.wrong_type(field, list, "a list of messages");
    return;
  }
  std::size_t index = 0;
  for (const Json value : messages) {
    Step step;
    Message message;
    if (!read_chat_message(reading, value, fmt::format("{}[{}]", field, index++), message))
      continue;
    reading.record(fmt::format("message {}", name_of(message.role)), Use::text);
    step.time_ms = parse_time(text_at(value, "timestamp"));
    if (const auto usage = member_value(value, "usage"); usage && usage->is_object()) {
      step.usage = read_usage(*usage);
      step.call = from_model(message);
    }
    step.messages.push_back(std::move(message));
    reading.step(key, std::move(step));
  }
}

std::string series_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  std::size_t end = path.size();
  while (end > name && !digit(path[end - 1])) --end;
  if (end == name) return std::string(path);
  std::size_t begin = end;
  while (begin > name && (digit(path[begin - 1]) ||
                          (path[begin - 1] == '.' && begin - 1 > name && digit(path[begin - 2]))))
    --begin;
  return fmt::format("{}#{}", path.substr(0, begin), path.substr(end));
}

}  // namespace toktier::replay
