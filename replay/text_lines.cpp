#include "replay/text_lines.hpp"

#include "replay/json_values.hpp"
#include "unicode/utf8.hpp"

namespace toktier::replay {

TextLines::TextLines(Input& input, Reading& reading)
    : lines_(std::move(input.source), kMaxRecordBytes), reading_(reading) {}

bool TextLines::next(std::string_view& line) {
  if (!lines_.next(line)) return false;
  reading_.at_line(lines_.number());
  if (unicode::find_invalid_utf8(line)) {
    repaired_ = unicode::replace_invalid_utf8(line);
    line = repaired_;
    reading_.record("repair: line that is not UTF-8", Use::meta);
  }
  return true;
}

std::string Block::take() {
  std::string text = std::move(text_);
  text_.clear();
  const auto blank_line = [&text](std::size_t begin, std::size_t end) {
    return text.find_first_not_of(" \t\r", begin) >= end;
  };
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos || !blank_line(begin, end)) break;
    begin = end + 1;
  }
  std::size_t end = text.size();
  while (end > begin) {
    const std::size_t before = end < 2 ? std::string::npos : text.rfind('\n', end - 2);
    const std::size_t start = before == std::string::npos || before < begin ? begin : before + 1;
    if (!blank_line(start, end - 1)) break;
    end = start;
  }
  text.erase(end);
  text.erase(0, begin);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace toktier::replay
