#include "apps/replay/output.hpp"
#include "apps/replay/run.hpp"
#include "replay/chat_template.hpp"
#include "replay/mutation.hpp"
#include "replay/read.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

namespace toktier::replay_app {

namespace {

struct Entry {
  std::string name, what;
};

std::vector<Entry> entries(const std::string& listed) {
  std::vector<Entry> all;
  if (listed == "templates") {
    for (const replay::ChatTemplate& row : replay::built_in_templates())
      all.push_back({row.name, row.what});
  } else if (listed == "mutations") {
    for (const replay::MutationRow& row : replay::mutation_table())
      all.push_back({std::string(row.name), std::string(row.what)});
  } else {
    for (const replay::FormatName& row : replay::format_names())
      all.push_back({std::string(row.name), std::string(row.what)});
  }
  return all;
}

}  // namespace

cli::ExitCode run_list(const Options& options, const cli::CommonOptions& common) {
  Output out(common);
  const std::string kind = options.listed.substr(0, options.listed.size() - 1);
  report::Table table({{kind, report::Table::Align::left}, {"what", report::Table::Align::left}});
  for (const Entry& entry : entries(options.listed)) {
    table.add({entry.name, entry.what});
    std::string line;
    report::JsonWriter(line)
        .begin_object()
        .field("schema", "toktier.replay_list/1")
        .field("kind", kind)
        .field("name", entry.name)
        .field("what", entry.what)
        .end_object();
    out.record(line);
  }
  out.table(table.text());
  out.commit();
  return cli::ExitCode::ok;
}

}  // namespace toktier::replay_app
