#include "apps/diffcheck/merge_records.hpp"

#include "diff/campaign.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <iterator>

namespace toktier::diffcheck {
namespace {

using report::grouped;
using report::JsonWriter;
using report::Table;
namespace shards = diff::shards;

void write_counts(JsonWriter& json, std::string_view key,
                  const std::map<std::string, std::uint64_t>& counts) {
  json.key(key).begin_object();
  for (const auto& [name, count] : counts) json.field(name, count);
  json.end_object();
}

void write_identity(JsonWriter& json, const char* key, const diff::EngineIdentity& identity) {
  json.key(key).begin_object().field("row", identity.row).field("name", identity.name);
  json.field("version", identity.version).field("unicode", identity.unicode);
  json.field("fingerprint", identity.fingerprint).field("kind", identity.kind).end_object();
}

std::uint64_t agreed(const diff::Verdict& v) {
  return v.difference_count() == 0 ? v.documents - v.both_refused : 0;
}

void write_bound(JsonWriter& json, const char* key, std::uint64_t trials) {
  json.key(key);
  if (trials > 0) {
    json.value(diff::rule_of_three(trials));
  } else {
    json.null();
  }
}

void write_sums(JsonWriter& json, const diff::Verdict& v) {
  json.field("documents", v.documents).field("bytes", v.bytes).field("code_points", v.code_points);
  json.field("ids", v.ids);
  write_counts(json, "checked", v.checked);
  write_counts(json, "skipped", v.skipped);
  write_counts(json, "differences", v.differences);
  json.field("different_documents", v.different_documents).field("both_refused", v.both_refused);
  json.field("failed_inputs", v.failed_inputs);
}

void write_conduct(JsonWriter& json, const shards::Merged& merged, const MergeVerdict& verdict) {
  json.key("conduct").begin_object().key("shards").begin_array();
  for (const shards::ShardState& shard : merged.conduct.shards) {
    json.begin_object().field("name", shard.name).field("status", shard.status);
    json.field("host", shard.host).field("exit_code", shard.exit_code);
    json.field("damaged_lines", shard.damaged_lines).field("torn", shard.torn);
    json.key("problems").begin_array();
    for (const std::string& problem : shard.problems) json.value(problem);
    json.end_array().end_object();
  }
  json.end_array().key("missing_shards").begin_array();
  for (const std::string& name : verdict.missing_shards) json.value(name);
  const diff::Verdict& v = merged.totals;
  json.end_array().field("units_done_twice", merged.conduct.twice);
  json.field("unit_seconds", merged.conduct.unit_seconds);
  json.field("ours_seconds", v.ours_seconds).field("reference_wait_seconds", v.theirs_seconds);
  json.field("store_hits", v.store_hits).field("store_misses", v.store_misses);
  json.field("store_damaged", v.store_damaged).field("restarts", v.restarts).end_object();
}

}  // namespace

std::string ranges(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string row_name(const shards::Merged& merged, const shards::MergedRow& row) {
  return fmt::format("{} against {} over {}", merged.plan.models[row.model].name, row.reference,
                     merged.plan.sources[row.source].name);
}

std::string campaign_record(const shards::Merged& merged, const MergeVerdict& verdict) {
  const shards::Plan& plan = merged.plan;
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "toktier.campaign/1").field("plan", plan.digest);
  json.field("seed", plan.settings.seed).field("engine", plan.settings.engine);
  json.field("checks", plan.settings.checks).field("status", verdict.status);
  json.field("exit_code", static_cast<int>(verdict.code));
  json.field("units", plan.units.size()).key("missing_units").begin_array();
  for (const std::uint64_t unit : merged.missing) json.value(unit);
  json.end_array();
  write_sums(json, merged.totals);
  write_bound(json, "upper_bound_95", agreed(merged.totals));
  json.key("upper_bounds_95").begin_object();
  for (const auto& [check, count] : merged.totals.checked)
    if (merged.totals.difference_count() == 0) json.field(check, diff::rule_of_three(count));
  json.end_object().field("distinct_divergences", merged.divergences.size());
  json.key("refused").begin_object();
  for (const auto& [name, why] : plan.refused) json.field(name, why);
  json.end_object().key("rows").begin_array();
  for (const shards::MergedRow& row : merged.rows) {
    json.begin_object().field("model", plan.models[row.model].name);
    json.field("reference", row.reference).field("source", plan.sources[row.source].name);
    json.field("status", row.status).field("reason", row.reason);
    json.field("units", row.units).field("done", row.done);
    write_identity(json, "engine", row.engine);
    write_identity(json, "with", row.with);
    write_sums(json, row.sums);
    json.field("distinct_ids", row.sums.distinct_ids).field("end_id", row.sums.end_id);
    json.field("answers", fmt::format("{:016x}", row.sums.answer_digest));
    write_bound(json, "upper_bound_95", agreed(row.sums));
    json.end_object();
  }
  json.end_array();
  write_conduct(json, merged, verdict);
  json.end_object();
  return text;
}

std::string campaign_text(const shards::Merged& merged, const MergeVerdict& verdict) {
  using Align = Table::Align;
  Table table({{"model", Align::left},
               {"reference", Align::left},
               {"source", Align::left},
               {"status", Align::left},
               {"units", Align::right},
               {"documents", Align::right},
               {"bytes", Align::right},
               {"checks", Align::right},
               {"differences", Align::right}});
  for (const shards::MergedRow& row : merged.rows) {
    const diff::Verdict& v = row.sums;
    table.add(
        {merged.plan.models[row.model].name, row.reference, merged.plan.sources[row.source].name,
         row.status == "compared" ? (v.difference_count() > 0 ? "different" : "equal") : row.status,
         row.done == row.units ? grouped(row.units)
                               : fmt::format("{} of {}", grouped(row.done), grouped(row.units)),
         grouped(v.documents), grouped(v.bytes), grouped(v.checks()),
         grouped(v.difference_count())});
  }
  std::string text = table.text();
  auto out = std::back_inserter(text);
  const auto counts = [&](const char* title, const std::map<std::string, std::uint64_t>& all) {
    if (all.empty()) return;
    fmt::format_to(out, "\n{}\n", title);
    for (const auto& [name, count] : all)
      fmt::format_to(out, "  {:>14}  {}\n", grouped(count), name);
  };
  const diff::Verdict& v = merged.totals;
  counts("Checks", v.checked);
  counts("Differences by class", v.differences);
  counts("Skipped, by reason", v.skipped);
  for (const auto& [name, why] : merged.plan.refused) fmt::format_to(out, "refused: {}\n", why);
  for (const shards::ShardState& shard : merged.conduct.shards) {
    for (const std::string& problem : shard.problems)
      fmt::format_to(out, "\nshard {}: {}\n", shard.name, problem);
    if (shard.damaged_lines > 0)
      fmt::format_to(out, "\nshard {}: {} damaged lines\n", shard.name, shard.damaged_lines);
  }
  for (const std::string& name : verdict.missing_shards)
    fmt::format_to(out, "\nmissing shard: {}\n", name);
  if (!merged.missing.empty())
    fmt::format_to(out, "\nmissing units ({} of {}): {}\n", merged.missing.size(),
                   merged.plan.units.size(), ranges(merged.missing));
  fmt::format_to(out, "\n{}: {} documents, {} checks, {} differences, {} distinct\n",
                 verdict.status, grouped(v.documents), grouped(v.checks()),
                 grouped(v.difference_count()), merged.divergences.size());
  if (agreed(v) > 0)
    fmt::format_to(out,
                   "no difference in {} documents: below {:.2g} of documents like these (95 %)\n",
                   grouped(agreed(v)), diff::rule_of_three(agreed(v)));
  return text;
}

}  // namespace toktier::diffcheck
