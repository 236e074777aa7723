// compare OLD NEW: what two merged runs say about the same models.

#include "apps/common/output.hpp"
#include "apps/diffcheck/run.hpp"
#include "diff/shards/campaign_summary.hpp"
#include "io/output_file.hpp"
#include "report/escape.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace toktier::diffcheck {
namespace {

using cli::ExitCode;
using diff::shards::CampaignSummary;
using diff::shards::DivergenceRecord;
using diff::shards::SummaryRow;
using report::JsonWriter;

using RowKey = std::tuple<std::string, std::string, std::string>;  // model, reference, source
RowKey key_of(const SummaryRow& row) { return {row.model, row.reference, row.source}; }
using FindingKey = std::tuple<std::string, std::string, std::string>;  // model, reference row, id
FindingKey key_of(const DivergenceRecord& one) { return {one.model, one.reference, one.id}; }

struct Comparison {
  std::vector<const DivergenceRecord*> fresh, fixed, still, unseen;
  std::vector<std::string> lost;  // coverage
};

/// Less of something in `now` than in `before`.
void add_lost(std::vector<std::string>& lost, const std::string& where, const std::string& what,
              std::uint64_t before, std::uint64_t now) {
  if (now < before)
    lost.push_back(fmt::format("{}: {} {}, were {}", where, report::grouped(now), what,
                               report::grouped(before)));
}

Comparison compare_runs(const CampaignSummary& before, const CampaignSummary& now) {
  Comparison result;
  std::map<RowKey, const SummaryRow*> rows;
  for (const SummaryRow& row : now.rows) rows.emplace(key_of(row), &row);
  std::map<std::pair<std::string, std::string>, bool> looked_at;  // model, source: wholly
  for (const SummaryRow& row : now.rows) {
    bool& whole = looked_at.try_emplace({row.model, row.source}, true).first->second;
    whole = whole && row.status == "compared" && row.done == row.units;
  }
  for (const SummaryRow& row : before.rows) {
    const std::string where =
        fmt::format("{} against {} over {}", row.model, row.reference, row.source);
    const auto found = rows.find(key_of(row));
    if (found == rows.end()) {
      if (row.done > 0) result.lost.push_back(where + ": not in the new run");
      continue;
    }
    const SummaryRow& other = *found->second;
    if (row.status == "compared" && other.status != "compared")
      result.lost.push_back(fmt::format("{}: {} {}", where, other.status, other.reason));
    add_lost(result.lost, where, "documents", row.sums.documents, other.sums.documents);
    for (const auto& [check, count] : row.sums.checked) {
      const auto made = other.sums.checked.find(check);
      add_lost(result.lost, where, "checks of " + check, count,
               made == other.sums.checked.end() ? 0 : made->second);
    }
  }
  std::map<FindingKey, const DivergenceRecord*> old;
  for (const DivergenceRecord& one : before.divergences) old.emplace(key_of(one), &one);
  std::map<FindingKey, const DivergenceRecord*> current;
  for (const DivergenceRecord& one : now.divergences) {
    current.emplace(key_of(one), &one);
    (old.count(key_of(one)) > 0 ? result.still : result.fresh).push_back(&one);
  }
  for (const DivergenceRecord& one : before.divergences) {
    if (current.count(key_of(one)) > 0) continue;
    // What was not looked at again is not fixed.
    const auto looked = looked_at.find({one.model, one.source});
    const bool whole = looked != looked_at.end() && looked->second;
    (whole ? result.fixed : result.unseen).push_back(&one);
  }
  return result;
}

std::string text_of(const Comparison& result) {
  std::string text;
  auto out = std::back_inserter(text);
  const auto list = [&](const char* title, const std::vector<const DivergenceRecord*>& all) {
    fmt::format_to(out, "{}: {}\n", title, all.size());
    for (const DivergenceRecord* one : all)
      fmt::format_to(out, "  {} {} {} \"{}\"\n", one->id, one->cls, one->model,
                     report::escape_preview(one->shown(), 60));
  };
  list("new", result.fresh);
  list("still there", result.still);
  list("fixed", result.fixed);
  list("not looked at again", result.unseen);
  fmt::format_to(out, "coverage lost: {}\n", result.lost.size());
  for (const std::string& one : result.lost) fmt::format_to(out, "  {}\n", one);
  return text;
}

std::string record_of(const CompareOptions& options, const Comparison& result, ExitCode code) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "toktier.comparison/1");
  json.field("old", options.before).field("new", options.after);
  const auto list = [&](const char* key, const std::vector<const DivergenceRecord*>& all) {
    json.key(key).begin_array();
    for (const DivergenceRecord* one : all) {
      json.begin_object().field("id", one->id).field("class", one->cls).field("model", one->model);
      json.field("reference", one->reference).field("source", one->source);
      json.field("text", report::escape_preview(one->shown(), 400)).field("repro", one->repro);
      json.end_object();
    }
    json.end_array();
  };
  list("appeared", result.fresh);
  list("still_there", result.still);
  list("fixed", result.fixed);
  list("not_looked_at", result.unseen);
  json.key("coverage_lost").begin_array();
  for (const std::string& one : result.lost) json.value(one);
  json.end_array().field("exit_code", static_cast<int>(code)).end_object();
  return text;
}

}  // namespace

ExitCode compare(const CompareOptions& options, const cli::CommonOptions& common) {
  const CampaignSummary before = diff::shards::read_summary(options.before);
  const CampaignSummary now = diff::shards::read_summary(options.after);
  const Comparison result = compare_runs(before, now);
  const bool lost = !result.lost.empty() && !options.allow_less;
  const ExitCode code = !result.fresh.empty() || lost ? ExitCode::divergence : ExitCode::ok;
  const std::string record = record_of(options, result, code);
  cli::StandardOutput out;
  if (common.format == cli::Format::table) {
    out.write(text_of(result));
  } else {
    out.write(common.format == cli::Format::json ? "[" + record + "]\n" : record + "\n");
  }
  out.flush();
  if (!common.output.empty()) {
    io::OutputFile file(common.output);
    file.write(record + "\n");
    file.commit();
  }
  return code;
}

}  // namespace toktier::diffcheck
