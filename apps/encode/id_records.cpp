#include "apps/encode/id_records.hpp"

#include "apps/common/signals.hpp"
#include "apps/encode/failures.hpp"
#include "apps/encode/sink.hpp"
#include "io/byte_source.hpp"
#include "io/line_reader.hpp"

#include <fmt/core.h>
#include <simdjson.h>

#include <charconv>

namespace toktier::encode_app {
namespace {

constexpr std::uint64_t kMaxLine = std::uint64_t{1} << 31;

[[noreturn]] void bad_line(const io::LineReader& lines, std::string_view what) {
  throw Error(ErrorCode::input, std::string(what),
              fmt::format("{}:{}", lines.path(), lines.number()));
}

TokenId id_value(simdjson::dom::element element, const io::LineReader& lines) {
  std::uint64_t value = 0;
  if (element.get_uint64().get(value) != simdjson::SUCCESS || value > 0xFFFFFFFE)
    bad_line(lines, "an id is not a number from 0 to 4294967294");
  return static_cast<TokenId>(value);
}

// {"id": ..., "ids": [...]}, or a bare array, or numbers between blanks and commas.
IdRecord parse_line(std::string_view line, const io::LineReader& lines,
                    simdjson::dom::parser& parser) {
  IdRecord record;
  const std::size_t start = line.find_first_not_of(" \t\r");
  if (start != std::string_view::npos && (line[start] == '{' || line[start] == '[')) {
    simdjson::dom::element element;
    const auto error = parser.parse(line.data(), line.size()).get(element);
    if (error != simdjson::SUCCESS)
      bad_line(lines, fmt::format("not JSON: {}", simdjson::error_message(error)));
    simdjson::dom::element list = element;
    if (element.is_object()) {
      if (element["ids"].get(list) != simdjson::SUCCESS)
        bad_line(lines, "the record has no \"ids\"");
      simdjson::dom::element id;
      if (element["id"].get(id) == simdjson::SUCCESS) record.id = simdjson::minify(id);
    }
    simdjson::dom::array array;
    if (list.get_array().get(array) != simdjson::SUCCESS) bad_line(lines, "\"ids\" is not a list");
    for (const simdjson::dom::element value : array) record.ids.push_back(id_value(value, lines));
    return record;
  }
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == ',' || line[at] == '\t' || line[at] == '\r') {
      ++at;
      continue;
    }
    TokenId id = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), id);
    if (error != std::errc{})
      bad_line(lines, fmt::format("'{}' is not an id", line.substr(at, 20)));
    record.ids.push_back(id);
    at = static_cast<std::size_t>(end - line.data());
  }
  return record;
}

class Rows {
 public:
  Rows(const Options& options, const cli::CommonOptions& common, std::string_view done,
       const std::function<std::string(const IdRecord&)>& use)
      : options_(options),
        common_(common),
        done_name_(done),
        use_(use),
        failures_(options.fail_fast),
        sink_(common.output) {
    cli::finish_on_signal();
  }

  cli::ExitCode run() {
    const io::InputOptions inputs = input_options(options_);
    std::vector<Error> problems;
    io::Skipped skipped;
    const std::vector<std::string> files = io::list_inputs(inputs, &problems, &skipped);
    for (const Error& problem : problems) failures_.add(problem);
    if (!skipped.empty() && !common_.quiet)
      fmt::print(stderr, "toktier-encode: {}\n", io::describe(skipped));
    for (const std::string& path : files) {
      if (cli::stop_flag() || sink_.closed()) break;
      try {
        read_file(path, inputs.stop);
      } catch (const Error& error) {
        failures_.add(error);
      }
    }
    const bool stopped = cli::stop_flag();
    if (stopped && !common_.output.empty())
      fmt::print(stderr, "toktier-encode: {}: not written, the run was stopped\n", common_.output);
    else
      sink_.commit();
    if (failures_.count() > 0 && failures_.count() + done_ > 1 && !common_.quiet)
      fmt::print(stderr, "toktier-encode: {} failed, {} {}\n", failures_.count(), done_,
                 done_name_);
    return stopped ? cli::worse(failures_.code(), cli::ExitCode::stopped) : failures_.code();
  }

 private:
  void read_file(const std::string& path, io::StopDescriptor stop) {
    io::LineReader lines(io::ByteSource::open(path, ~std::uint64_t{0}, stop), kMaxLine);
    std::string_view line;
    while (!cli::stop_flag() && !sink_.closed() && lines.next(line)) {
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      try {
        read_line(line, lines);
        ++done_;
      } catch (const Error& error) {
        failures_.add(error);
      }
    }
  }

  void read_line(std::string_view line, const io::LineReader& lines) {
    const IdRecord record = parse_line(line, lines, parser_);
    std::string out;
    try {
      out = use_(record);
    } catch (const Error& error) {
      bad_line(lines, error.what());
    }
    sink_.write(out);
  }

  const Options& options_;
  const cli::CommonOptions& common_;
  std::string_view done_name_;
  const std::function<std::string(const IdRecord&)>& use_;
  Failures failures_;
  Sink sink_;
  simdjson::dom::parser parser_;
  std::uint64_t done_ = 0;
};

}  // namespace

cli::ExitCode for_each_row(const Options& options, const cli::CommonOptions& common,
                           std::string_view done,
                           const std::function<std::string(const IdRecord&)>& use) {
  return Rows(options, common, done, use).run();
}

}  // namespace toktier::encode_app
