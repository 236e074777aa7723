#include "apps/encode/run.hpp"
#include "apps/encode/sink.hpp"
#include "io/byte_source.hpp"
#include "io/line_reader.hpp"
#include "report/json_writer.hpp"

#include <fmt/core.h>
#include <simdjson.h>

#include <charconv>

namespace toktier::encode_app {
namespace {

constexpr std::uint64_t kMaxLine = std::uint64_t{1} << 31;

struct IdRecord {
  std::string id;  // as JSON text; empty when the line has none
  std::vector<TokenId> ids;
};

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

}  // namespace

cli::ExitCode run_decode(const Options& options, const cli::CommonOptions& common) {
  const Tokenizer tokenizer = Tokenizer::load(options.model, load_options(options));
  Sink sink(common.output);
  simdjson::dom::parser parser;
  for (const std::string& path : io::list_inputs(input_options(options))) {
    io::LineReader lines(io::ByteSource::open(path), kMaxLine);
    std::string_view line;
    while (lines.next(line) && !sink.closed()) {
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const IdRecord record = parse_line(line, lines, parser);
      std::string text;
      try {
        text = tokenizer.decode(record.ids, options.skip_special);
      } catch (const Error& error) {
        bad_line(lines, error.what());
      }
      std::string out;
      if (common.format == cli::Format::table) {
        out = text + "\n";
      } else {
        report::JsonWriter json(out);
        json.begin_object();
        if (!record.id.empty()) json.key("id").raw(record.id);
        json.field("text", std::string_view(text)).end_object();
        out += '\n';
      }
      sink.write(out);
    }
  }
  sink.commit();
  return cli::ExitCode::ok;
}

}  // namespace toktier::encode_app
