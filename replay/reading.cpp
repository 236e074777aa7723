#include "replay/reading.hpp"

#include "io/line_reader.hpp"
#include "io/read_all.hpp"
#include "replay/json_values.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toktier::replay {
namespace {

void report_repairs(Reading& reading, const JsonParser& parser) {
  for (std::uint64_t i = 0; i < parser.replaced_surrogates(); ++i)
    reading.record("repair: half of a surrogate pair", Use::meta);
  for (std::uint64_t i = 0; i < parser.quoted_numbers(); ++i)
    reading.record("repair: number beyond 64 bits", Use::meta);
}

/// A line that is no JSON value: values glued together, when it is that and nothing else.
bool use_glued(std::string_view line, Reading& reading, const std::function<void(Json)>& use) {
  JsonParser parser;
  for (const bool check : {true, false}) {
    JsonValues values(io::ByteSource::from_memory(line, reading.file()));
    std::string_view record;
    std::size_t count = 0;
    while (values.next(record)) {
      Json value;
      if (!parser.parse(record, value) || !value.is_object()) return false;
      ++count;
      if (!check) use(value);
    }
    if (count < 2 || values.cut_off()) return false;
  }
  reading.record("repair: values glued together on a line", Use::meta);
  return true;
}

}  // namespace

std::string Reading::open(std::string_view id, Session session) {
  session.id = id;
  session.file = file_;
  session.format = format_;
  session.key = sessions_.empty() ? file_ : fmt::format("{}#{}", file_, sessions_.size() + 1);
  sessions_.push_back({session.key, false});
  sink_.open(session);
  return session.key;
}

void Reading::open_recorded(const Session& session) {
  for (const Opened& opened : sessions_) {
    if (opened.key == session.key)
      throw Error(ErrorCode::input, fmt::format("session '{}' begins twice", session.key), file_);
  }
  sessions_.push_back({session.key, false});
  sink_.open(session);
}

void Reading::step(const std::string& key, Step&& step) {
  if (step.line == 0) step.line = line_;
  sink_.step(key, std::move(step));
}

void Reading::close(const std::string& key) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [&key](const Opened& opened) { return opened.key == key; });
  if (found == sessions_.end() || found->closed) return;
  found->closed = true;
  sink_.close(key);
}

void Reading::finish() {
  for (Opened& opened : sessions_) {
    if (!opened.closed) sink_.close(opened.key);
    opened.closed = true;
  }
}

void Reading::problem(std::string_view field, std::string_view value, std::string_view message) {
  sink_.problem({file_, line_, std::string(field), std::string(value), std::string(message)});
}

void Reading::wrong_type(std::string_view field, Json value, std::string_view expected) {
  problem(field, shown(value), fmt::format("{} found, {} expected", kind_of(value), expected));
}

void for_each_line(Input& input, Reading& reading, const std::function<void(Json)>& use,
                   Values wanted) {
  io::LineReader lines(std::move(input.source), kMaxRecordBytes);
  JsonParser parser;
  std::string_view line;
  while (lines.next(line)) {
    reading.at_line(lines.number());
    if (lines.number() == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Json value;
    if (!parser.parse(line, value)) {
      const std::string why = parser.error();
      if (use_glued(line, reading, use)) continue;
      reading.problem("", shown_text(line), "not a JSON value: " + why);
      reading.record("(damaged line)", Use::unknown);
    } else if (wanted == Values::objects && !value.is_object()) {
      reading.wrong_type("", value, "an object");
      reading.record("(no object)", Use::unknown);
    } else {
      use(value);
    }
  }
  report_repairs(reading, parser);
}

void for_each_value(Input& input, Reading& reading, const std::function<void(Json)>& use) {
  JsonValues values(std::move(input.source));
  JsonParser parser;
  std::string_view record;
  bool said = false;
  while (values.next(record)) {
    reading.at_line(values.line());
    Json value;
    if (parser.parse(record, value)) {
      use(value);
      continue;
    }
    said = values.cut_off();
    reading.problem(
        "", shown_text(record),
        said ? "the file ends inside this record" : "not a JSON value: " + parser.error());
    reading.record("(damaged record)", Use::unknown);
  }
  if (values.cut_off() && !said) reading.problem("", "", "the file ends inside its list");
  report_repairs(reading, parser);
}

void with_whole_file(Input& input, Reading& reading, const std::function<void(Json)>& use) {
  std::string all, block(std::size_t{1} << 16, '\0');
  for (std::size_t n = 0; (n = input.source.read(block.data(), block.size())) > 0;) {
    all.append(block, 0, n);
    if (all.size() > kMaxRecordBytes) {
      throw Error(ErrorCode::input, fmt::format("a value of more than {} bytes", kMaxRecordBytes),
                  input.file);
    }
  }
  if (all.starts_with("\xEF\xBB\xBF")) all.erase(0, 3);
  all.reserve(all.size() + io::kReadPadding);
  reading.at_line(1);
  JsonParser parser;
  Json value;
  if (parser.parse(all, value)) {
    use(value);
  } else {
    reading.problem("", shown_text(all), "not a JSON value: " + parser.error());
    reading.record("(damaged file)", Use::unknown);
  }
  report_repairs(reading, parser);
}

}  // namespace toktier::replay
