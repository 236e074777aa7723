#include "apps/replay/replay_report.hpp"
#include "report/escape.hpp"
#include "report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace toktier::replay_app {
namespace {

using replay::Distribution;
using replay::OpTotals;
using replay::ReplayTotals;
using replay::WorkOp;
using report::grouped;
using Align = report::Table::Align;

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string quantiles(const Distribution& values) {
  if (values.count() == 0) return "-";
  return fmt::format("{} / {} / {} / {}", grouped(values.quantile(0.5)),
                     grouped(values.quantile(0.9)), grouped(values.quantile(0.99)),
                     grouped(values.max()));
}

std::string microseconds(const Distribution& values, double share) {
  return fmt::format("{:.1f}", static_cast<double>(values.quantile(share)) / 1000);
}

std::vector<report::Table::Column> columns(std::initializer_list<const char*> names,
                                           std::size_t left) {
  std::vector<report::Table::Column> out;
  for (const char* name : names)
    out.push_back({name, out.size() < left ? Align::left : Align::right});
  return out;
}

/// All policies of a model together, in the order of the rows.
std::vector<std::pair<std::string, ReplayTotals>> by_model(const std::vector<ReplayRow>& rows) {
  std::vector<std::pair<std::string, ReplayTotals>> out;
  std::map<std::string, std::size_t> at;
  for (const ReplayRow& row : rows) {
    if (row.loaded == nullptr) continue;
    const auto [found, fresh] = at.try_emplace(row.model, out.size());
    if (fresh) out.emplace_back(row.model, ReplayTotals{});
    out[found->second].second.merge(row.totals);
  }
  return out;
}

report::Table verdicts(const std::vector<ReplayRow>& rows) {
  report::Table table(columns({"model", "policy", "status", "sessions", "steps", "repairs",
                               "verified", "by reference", "differences", "refused"},
                              3));
  for (const ReplayRow& row : rows) {
    const ReplayTotals& t = row.totals;
    table.add({row.model, row.policy, row.status, grouped(t.sessions), grouped(t.steps()),
               grouped(t.repairs()), grouped(t.verified_repairs()), grouped(t.referenced()),
               grouped(t.differences), grouped(t.refused)});
  }
  return table;
}

report::Table amounts(const std::vector<ReplayRow>& rows) {
  report::Table table(
      columns({"model", "policy", "bytes given", "bytes encoded", "of those given", "of all texts",
               "ids told", "memory of a session p50 / p90 / p99 / max", "bytes a token"},
              2));
  for (const ReplayRow& row : rows) {
    if (row.loaded == nullptr) continue;
    const ReplayTotals& t = row.totals;
    std::uint64_t told = 0;
    for (const OpTotals& op : t.ops) told += op.told_ids;
    table.add({row.model, row.policy, grouped(t.given()), grouped(t.encoded()),
               percent(t.encoded(), t.given()), percent(t.encoded(), t.text_bytes), grouped(told),
               quantiles(t.memory),
               t.end_tokens == 0 ? "-"
                                 : fmt::format("{:.2f}", static_cast<double>(t.memory.sum()) /
                                                             static_cast<double>(t.end_tokens))});
  }
  return table;
}

report::Table operations(const std::vector<std::pair<std::string, ReplayTotals>>& models) {
  report::Table table(columns({"model", "step", "count", "verified", "bytes given", "bytes encoded",
                               "ids told", "no seam before", "no seam behind", "score moved"},
                              2));
  for (const auto& [model, t] : models) {
    for (std::size_t i = 0; i < replay::kWorkOps; ++i) {
      const OpTotals& op = t.ops[i];
      if (op.steps == 0 || static_cast<WorkOp>(i) == WorkOp::close) continue;
      table.add({model, std::string(replay::name_of(static_cast<WorkOp>(i))), grouped(op.steps),
                 grouped(op.verified), grouped(op.given), grouped(op.encoded), grouped(op.told_ids),
                 grouped(op.no_seam_before), grouped(op.no_seam_behind), grouped(op.score_moved)});
    }
  }
  return table;
}

report::Table appends(const std::vector<std::pair<std::string, ReplayTotals>>& models) {
  report::Table table(
      columns({"model", "appends", "bytes p50 / p90 / p99 / max",
               "from a seam: bytes encoded again", "without a seam", "share", "their text's bytes"},
              1));
  for (const auto& [model, t] : models) {
    table.add({model, grouped(t.appends), quantiles(t.append_bytes), quantiles(t.append_extra),
               grouped(t.appends_without_seam), percent(t.appends_without_seam, t.appends),
               quantiles(t.without_seam_text)});
  }
  return table;
}

report::Table latencies(const std::vector<std::pair<std::string, ReplayTotals>>& models) {
  report::Table table(columns(
      {"model", "step", "text before", "count", "p50 us", "p90 us", "p99 us", "max us"}, 3));
  for (const auto& [model, t] : models) {
    for (std::size_t op = 0; op < replay::kWorkOps; ++op) {
      for (std::size_t band = 0; band < replay::kBands; ++band) {
        const Distribution& values = t.ops[op].nanoseconds[band];
        if (values.count() == 0) continue;
        table.add({model, std::string(replay::name_of(static_cast<WorkOp>(op))),
                   std::string(replay::band_name(band)), grouped(values.count()),
                   microseconds(values, 0.5), microseconds(values, 0.9), microseconds(values, 0.99),
                   microseconds(values, 1)});
      }
    }
  }
  return table;
}

report::Table coverage(const std::vector<std::pair<std::string, ReplayTotals>>& models) {
  report::Table table(columns({"model", "text before", "repairs", "verified", "share"}, 2));
  for (const auto& [model, t] : models) {
    for (std::size_t band = 0; band < replay::kBands; ++band) {
      if (t.changes_by_band[band] == t.verified_by_band[band]) continue;
      table.add({model, std::string(replay::band_name(band)), grouped(t.changes_by_band[band]),
                 grouped(t.verified_by_band[band]),
                 percent(t.verified_by_band[band], t.changes_by_band[band])});
    }
  }
  return table;
}

}  // namespace

std::string difference_text(const ReplayFacts& facts, const ShownDifference& shown) {
  const replay::WorkDifference& d = *shown.difference;
  const replay::WorkStep& step = shown.work->steps[d.step];
  std::string text = fmt::format(
      "difference {}: {} of {}, policy {}, file {}, session {}, step {} ({}), text of {} bytes\n",
      shown.number, d.what, shown.model->name(), shown.work->policy, shown.work->file, d.session,
      d.step + 1, replay::name_of(step.op), step.bytes);
  if (!d.message.empty()) {
    text += fmt::format("  {}\n", d.message);
  } else {
    text +=
        fmt::format("  first differing token {}: ours {} of {} ids, expected {} of {}\n", d.at,
                    fmt::join(d.ours, " "), d.ours_count, fmt::join(d.theirs, " "), d.theirs_count);
  }
  if (shown.repro_file.empty()) {
    text += "  --repro FOLDER writes the steps that show it\n";
    return text;
  }
  const ReplayOptions& options = facts.options->replay;
  text +=
      fmt::format("  again: toktier-replay replay --steps {} -m {} --verify all",
                  report::shell_quote(shown.repro_file), report::shell_quote(shown.model->name()));
  if (options.special != "default") text += " --special " + options.special;
  if (options.add_special) text += " --add-special";
  if (options.interface != "delta") text += " --interface " + options.interface;
  if (d.what == "reference") text += " --reference --reference-share 1";
  if (!options.plant.empty()) text += " --plant " + options.plant;
  return text + "\n";
}

std::string rows_text(const std::vector<ReplayRow>& rows) {
  const auto models = by_model(rows);
  std::string text = verdicts(rows).text();
  for (const ReplayRow& row : rows) {
    if (!row.reason.empty()) text += fmt::format("{}, {}: {}\n", row.model, row.policy, row.reason);
  }
  for (const report::Table& table :
       {coverage(models), amounts(rows), operations(models), appends(models), latencies(models)})
    if (!table.empty()) text += "\n" + table.text();
  ReplayTotals all;
  for (const ReplayRow& row : rows) all.merge(row.totals);
  text += fmt::format(
      "\n{} repairs, {} verified against a cold encode ({} of them no appends), {} steps by the "
      "reference, {} differences\n",
      grouped(all.repairs()), grouped(all.verified_repairs()), grouped(all.verified_edits()),
      grouped(all.referenced()), grouped(all.differences));
  return text;
}

}  // namespace toktier::replay_app
