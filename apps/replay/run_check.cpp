#include "apps/replay/output.hpp"
#include "apps/replay/reading_job.hpp"
#include "apps/replay/run.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

namespace toktier::replay_app {
namespace {

using report::JsonWriter;
using Align = report::Table::Align;
constexpr const char* kSchema = "toktier.trace_check/1";

/// Problems as records; everything else is counted before it comes here.
class ProblemRecords : public replay::Sink {
 public:
  explicit ProblemRecords(Output& out) : out_(out) {}
  void open(const replay::Session&) override {}
  void step(const std::string&, replay::Step&&) override {}
  void close(const std::string&) override {}
  void record(std::string_view, std::string_view, replay::Use) override {}
  void file_done(const std::string&, std::string_view) override {}
  void problem(const replay::Problem& problem) override {
    if (!out_.wants_records()) return;
    std::string line;
    JsonWriter(line)
        .begin_object()
        .field("schema", kSchema)
        .field("kind", "problem")
        .field("file", problem.file)
        .field("line", problem.line)
        .field("field", problem.field)
        .field("value", problem.value)
        .field("message", problem.message)
        .end_object();
    out_.record(line);
  }

 private:
  Output& out_;
};

void write_format(Output& out, std::string_view name,
                  const replay::RecordCounts::ByFormat& counts) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("schema", kSchema).field("kind", "format").field("format", name);
  json.field("files", counts.files).field("sessions", counts.sessions);
  json.field("steps", counts.steps).field("messages", counts.messages);
  json.field("unknown", counts.unknown()).key("records").begin_array();
  for (const auto& [kind, count] : counts.records) {
    json.begin_object().field("kind", kind.first).field("use", replay::name_of(kind.second));
    json.field("count", count).end_object();
  }
  json.end_array().end_object();
  out.record(line);
}

std::string tables(const replay::RecordCounts& counts) {
  report::Table kinds({{"format", Align::left},
                       {"record", Align::left},
                       {"use", Align::left},
                       {"count", Align::right}});
  report::Table formats({{"format", Align::left},
                         {"files", Align::right},
                         {"sessions", Align::right},
                         {"steps", Align::right},
                         {"messages", Align::right},
                         {"unknown", Align::right}});
  for (const auto& [name, c] : counts.by_format()) {
    for (const auto& [kind, count] : c.records)
      kinds.add(
          {name, kind.first, std::string(replay::name_of(kind.second)), report::grouped(count)});
    formats.add({name, report::grouped(c.files), report::grouped(c.sessions),
                 report::grouped(c.steps), report::grouped(c.messages),
                 report::grouped(c.unknown())});
  }
  return kinds.text() + "\n" + formats.text();
}

}  // namespace

cli::ExitCode run_check(const Options& options, const cli::CommonOptions& common) {
  Output out(common);
  ProblemRecords problems(out);
  replay::RecordCounts counts(problems);
  const ReadingResult result = read_all_files(options, common, counts, !out.wants_records());
  cli::ExitCode code = exit_code_of(options, common, counts, result);
  std::uint64_t unknown = 0;
  for (const auto& [name, c] : counts.by_format()) {
    unknown += c.unknown();
    write_format(out, name, c);
  }
  if (options.strict && unknown > 0) code = cli::worse(code, cli::ExitCode::divergence);
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("schema", kSchema).field("kind", "verdict");
  json.field("files", counts.files()).field("unrecognised", counts.unrecognised());
  json.field("sessions", counts.sessions()).field("problems", counts.problems());
  json.field("unknown", unknown).field("snapshots", result.series.snapshots);
  json.field("strict_appends", result.series.strict_appends);
  json.field("rewrites", result.series.rewrites).field("exit_code", static_cast<int>(code));
  json.end_object();
  out.record(line);
  if (!counts.by_format().empty()) out.table(tables(counts) + "\n");
  out.table(fmt::format(
      "{} files ({} of no known format), {} sessions, {} problems, {} records of "
      "unknown kind\n",
      counts.files(), counts.unrecognised(), counts.sessions(), counts.problems(), unknown));
  out.commit();
  return code;
}

}  // namespace toktier::replay_app
