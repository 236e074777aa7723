#include "apps/common/output.hpp"
#include "apps/diffcheck/run.hpp"
#include "diff/check_table.hpp"
#include "diff/engine_table.hpp"
#include "diff/sources/generators.hpp"
#include "diff/sources/model_names.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace toktier::diffcheck {
namespace {

struct Entry {
  std::string name, what;
};

std::vector<Entry> entries(const std::string& what) {
  std::vector<Entry> all;
  if (what == "engines") {
    for (const auto& row : diff::engine_table())
      all.push_back({std::string(row.name), std::string(row.what)});
  } else if (what == "checks") {
    for (const auto& row : diff::check_table())
      all.push_back({std::string(row.name), std::string(row.what)});
  } else if (what == "generators") {
    for (const auto& row : diff::sources::generator_table()) {
      std::string name(row.name);
      if (row.default_count > 0) name += fmt::format(":{}", row.default_count);
      all.push_back({std::move(name), std::string(row.what)});
    }
  } else {
    const char* folders = std::getenv("TOKTIER_MODELS");
    for (const auto& row : diff::sources::model_names()) {
      const auto found = diff::sources::find_model_file(row, folders == nullptr ? "" : folders);
      std::string text = found ? *found : fmt::format("(not found: {})", row.file);
      if (row.stand_in) text += " (a near relative)";
      all.push_back({std::string(row.name), std::move(text)});
    }
  }
  return all;
}

}  // namespace

cli::ExitCode list(const ListOptions& options, const cli::CommonOptions& common) {
  cli::StandardOutput out;
  const std::vector<Entry> all = entries(options.what);
  if (common.format == cli::Format::table) {
    report::Table table(
        {{"name", report::Table::Align::left}, {"what", report::Table::Align::left}});
    for (const Entry& entry : all) table.add({entry.name, entry.what});
    out.write(table.text());
  } else {
    const bool one = common.format == cli::Format::json;
    std::string text = one ? "[" : "";
    for (const Entry& entry : all) {
      if (one && text.size() > 1) text += ",\n ";
      report::JsonWriter(text)
          .begin_object()
          .field("kind", options.what)
          .field("name", entry.name)
          .field("what", entry.what)
          .end_object();
      if (!one) text += '\n';
    }
    out.write(text + (one ? "]\n" : ""));
  }
  out.flush();
  return cli::ExitCode::ok;
}

}  // namespace toktier::diffcheck
