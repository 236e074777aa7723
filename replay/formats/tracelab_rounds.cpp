// TraceLab's rows, one per call, with lengths and no text: JSON lines, and the CSV of its replay.

#include "io/line_reader.hpp"
#include "replay/formats/formats.hpp"
#include "replay/json_values.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

namespace toktier::replay::formats {
namespace {

bool csv_header(std::string_view line) {
  return line.find("prefix_len") != std::string_view::npos &&
         line.find("input_len") != std::string_view::npos &&
         line.find(',') != std::string_view::npos;
}

bool recognise(const Outline& outline) {
  if (outline.has("newly_append_tokens") && outline.has("prefix_tokens")) return true;
  const std::string_view head = outline.head();
  return csv_header(head.substr(0, head.find('\n')));
}

class Rounds {
 public:
  explicit Rounds(Reading& reading) : reading_(reading) {}

  void add(const std::string& session, std::string_view model, Round round,
           std::optional<std::int64_t> time, std::optional<Usage> usage) {
    std::string& key = keys_[session];
    if (key.empty()) {
      Session facts;
      facts.model = model;
      key = reading_.open(session, facts);
    }
    reading_.record("round", Use::text);
    Step step;
    step.op = Op::round;
    step.call = true;
    step.time_ms = time;
    step.round = round;
    step.usage = usage;
    reading_.step(key, std::move(step));
  }

 private:
  Reading& reading_;
  std::map<std::string, std::string> keys_;
};

void read_row(Reading& reading, Rounds& rounds, Json value) {
  const auto prefix = count_at(value, "prefix_tokens");
  const auto append = count_at(value, "newly_append_tokens");
  const auto output = count_at(value, "output_tokens");
  if (!prefix || !append) {
    const std::string_view field = prefix ? "newly_append_tokens" : "prefix_tokens";
    const auto found = member(value, field);
    reading.problem(field, found ? shown(*found) : "", "a whole number >= 0 expected");
    reading.record("(row without lengths)", Use::unknown);
    return;
  }
  Round round;
  round.prefix = *prefix;
  round.append = *append;
  round.output = output.value_or(0);
  round.append_chars = count_at(value, "current_input_chars");
  std::optional<std::int64_t> time;
  simdjson::dom::array events;
  if (const auto list = member(value, "timing_events");
      list && list->get(events) == simdjson::SUCCESS && events.size() > 0)
    time = parse_time(text_at(events.at(0), "timestamp"));
  Usage usage;
  usage.input = count_at(value, "input_tokens_total");
  usage.cached = prefix;
  usage.output = output;
  usage.reasoning = count_at(value, "reasoning_output_tokens");
  rounds.add(std::string(text_at(value, "session_id")), text_at(value, "model"), round, time,
             usage);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  for (std::size_t at = 0;;) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    cells.push_back(line.substr(at, comma - at));
    if (comma == line.size()) return cells;
    at = comma + 1;
  }
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void read_csv(Input& input, Reading& reading) {
  io::LineReader lines(std::move(input.source), kMaxRecordBytes);
  Rounds rounds(reading);
  std::vector<std::string> names;
  std::string_view line;
  while (lines.next(line)) {
    reading.at_line(lines.number());
    if (line.empty() || line == "\r") continue;
    const std::vector<std::string_view> cells = cells_of(line);
    if (names.empty()) {
      names.assign(cells.begin(), cells.end());
      reading.record("header", Use::meta);
      continue;
    }
    std::map<std::string_view, std::string_view> row;
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
    const auto count = [&](std::string_view name) { return number<std::uint64_t>(row[name]); };
    bool whole = cells.size() == names.size();
    for (const std::string_view name : {"prefix_len", "input_len"}) {
      if (whole && count(name)) continue;
      reading.problem(name, shown_text(row[name]),
                      whole ? "a whole number >= 0 expected"
                            : fmt::format("{} cells in a table of {}", cells.size(), names.size()));
      whole = false;
      break;
    }
    if (!whole) {
      reading.record("(damaged row)", Use::unknown);
      continue;
    }
    Round round;
    round.prefix = *count("prefix_len");
    round.append = *count("input_len");
    round.output = count("output_len").value_or(0);
    round.wait_ms = number<double>(row["tool_wait_after_ms"]);
    const std::string_view id = row.count("session_id") > 0 ? row["session_id"] : row["id"];
    rounds.add(std::string(id), "", round, number<std::int64_t>(row["arrival_time"]), std::nullopt);
  }
}

void read(Input& input, Reading& reading) {
  const std::string_view head = input.outline.head();
  if (csv_header(head.substr(0, head.find('\n')))) {
    read_csv(input, reading);
    return;
  }
  Rounds rounds(reading);
  for_each_line(input, reading, [&](Json value) { read_row(reading, rounds, value); });
}

}  // namespace

const Format kTraceLabRounds = {"tracelab-rounds", "TraceLab rows: lengths of each call, no text",
                                recognise, read};

}  // namespace toktier::replay::formats
