#include "apps/replay/output.hpp"
#include "apps/replay/run.hpp"
#include "replay/read.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

namespace toktier::replay_app {

cli::ExitCode run_list(const cli::CommonOptions& common) {
  Output out(common);
  report::Table table(
      {{"format", report::Table::Align::left}, {"what", report::Table::Align::left}});
  for (const replay::FormatName& format : replay::format_names()) {
    table.add({std::string(format.name), std::string(format.what)});
    std::string line;
    report::JsonWriter(line)
        .begin_object()
        .field("schema", "toktier.replay_list/1")
        .field("kind", "format")
        .field("name", format.name)
        .field("what", format.what)
        .end_object();
    out.record(line);
  }
  out.table(table.text());
  out.commit();
  return cli::ExitCode::ok;
}

}  // namespace toktier::replay_app
