// show, repro, shrink: what is done with the record of a divergence.

#include "apps/common/output.hpp"
#include "apps/common/signals.hpp"
#include "apps/diffcheck/contest.hpp"
#include "apps/diffcheck/records.hpp"
#include "apps/diffcheck/run.hpp"
#include "diff/check_table.hpp"
#include "diff/shards/divergence_record.hpp"
#include "io/output_file.hpp"
#include "report/escape.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace toktier::diffcheck {
namespace {

using cli::ExitCode;
using diff::shards::DivergenceRecord;

std::vector<DivergenceRecord> chosen(const DivergenceOptions& options) {
  std::vector<DivergenceRecord> all = diff::shards::read_divergences(options.file);
  if (options.id.empty()) return all;
  std::erase_if(all, [&](const DivergenceRecord& one) { return one.id != options.id; });
  if (all.empty())
    throw Error(ErrorCode::usage, fmt::format("no divergence {} here", options.id), options.file);
  return all;
}

std::string shown(const DivergenceRecord& one) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{} {}  {}\n", one.id, one.cls, one.document);
  fmt::format_to(out, "  model     {}\n", one.model);
  fmt::format_to(out, "  part at   {} (check {})\n", one.stage, one.check);
  fmt::format_to(out, "  text      \"{}\"\n", report::escape_preview(one.shown(), 2000));
  fmt::format_to(out, "  {:<9} {}\n  {:<9} {}\n", one.engine, one.actual, one.reference,
                 one.expected);
  fmt::format_to(out, "  document  {} bytes", report::grouped(one.document_bytes));
  if (one.line) fmt::format_to(out, ", line {}", *one.line);
  if (one.record_byte) fmt::format_to(out, ", record at byte {}", *one.record_byte);
  if (one.file_byte) fmt::format_to(out, ", difference at byte {}", *one.file_byte);
  if (one.occurrences > 1) fmt::format_to(out, "; {} like it", one.occurrences);
  fmt::format_to(out, "\n  repro     {}\n", one.repro);
  return text;
}

/// The comparison that found the record.
struct Again {
  explicit Again(const DivergenceRecord& one, const DivergenceOptions& given,
                 const cli::CommonOptions& given_common)
      : common(given_common) {
    options.engine = one.engine;
    options.against = {one.reference};
    options.checks = one.check;
    options.special = one.special;
    options.add_special = one.add_special;
    options.truncate = one.truncate;
    options.oracle_timeout = given.oracle_timeout;
    options.describe = 1;
    options.shrink_steps = 0;
    options.max_divergences = 0;
    options.rounds = static_cast<unsigned>(one.rounds);
    // As many ways as were drawn to make the text small.
    if (diff::parse_checks(one.check) >= diff::kFirstWay)
      options.rounds = std::max(options.rounds, diff::kShrinkRounds);
    common.seed = one.seed;
    common.jobs = 1;
  }

  RunOptions options;
  cli::CommonOptions common;
};

/// What the text gives now; nothing when both sides agree.
std::optional<diff::Divergence> look_again(const DivergenceRecord& one, const Again& again,
                                           const std::string& text, Row& row) {
  const LoadedModel model(one.model, again.options, again.options.against);
  Contest contest(again.options, again.common, model, one.reference);
  row.model = one.model;
  row.engine = contest.engine();
  row.reference = contest.reference();
  diff::Document document;
  document.id = one.document;
  document.text = text;
  std::vector<diff::Document> documents;
  documents.push_back(std::move(document));
  const auto source = diff::from_list(std::move(documents));
  diff::CampaignPlan plan = contest.plan();
  std::optional<diff::Divergence> found;
  plan.on_divergence = [&](const diff::Divergence& divergence) {
    // Of several kinds at once the one that is looked for counts.
    if (!found || divergence.cls == one.cls) found = divergence;
  };
  row.verdict = diff::run_campaign(plan, *source);
  if (row.verdict.checks() == 0)
    throw Error(ErrorCode::input, "nothing was compared: both sides refuse the text", one.id);
  return found;
}

void write(const cli::CommonOptions& common, const std::string& record, const std::string& text) {
  cli::StandardOutput out;
  out.write(common.format == cli::Format::table ? text : record + "\n");
  out.flush();
}

}  // namespace

ExitCode show(const DivergenceOptions& options, const cli::CommonOptions& common) {
  cli::StandardOutput out;
  for (const DivergenceRecord& one : chosen(options))
    out.write(common.format == cli::Format::table ? shown(one) : one.text + "\n");
  out.flush();
  return ExitCode::ok;
}

ExitCode repro(const DivergenceOptions& options, const cli::CommonOptions& common) {
  cli::finish_on_signal();
  ExitCode code = ExitCode::ok;
  for (const DivergenceRecord& one : chosen(options)) {
    if (cli::stop_flag()) return cli::worse(code, ExitCode::stopped);
    const Again again(one, options, common);
    Row row;
    const auto found = look_again(one, again, one.shown(), row);
    const char* status = !found                  ? "agrees"
                         : found->cls == one.cls ? "still differs"
                                                 : "differs in another way";
    if (found) code = ExitCode::divergence;
    std::string record;
    report::JsonWriter json(record);
    json.begin_object().field("schema", "toktier.repro/1").field("id", one.id);
    json.field("status", status).field("class", one.cls);
    json.field("class_now", found ? found->cls : std::string());
    json.field("actual", found ? found->window.ours : std::string());
    json.field("expected", found ? found->window.theirs : std::string());
    json.field("engine", row.engine.label()).field("reference", row.reference.label());
    json.end_object();
    std::string text = fmt::format("{} {}: {}\n", one.id, one.cls, status);
    if (found)
      text += fmt::format("  now       {}\n  {:<9} {}\n  {:<9} {}\n", found->cls, one.engine,
                          found->window.ours, one.reference, found->window.theirs);
    write(common, record, text);
  }
  return code;
}

ExitCode shrink(const DivergenceOptions& options, const cli::CommonOptions& common) {
  cli::finish_on_signal();
  std::string records, text;
  for (const DivergenceRecord& one : chosen(options)) {
    if (cli::stop_flag()) return ExitCode::stopped;
    Again again(one, options, common);
    again.options.shrink_steps = options.steps;
    Row row;
    auto found = look_again(one, again, one.shown(), row);
    if (!found || found->cls != one.cls)
      throw Error(ErrorCode::input, "it does not differ in this way any more", one.id);
    // Where it came from stays as it was.
    const std::string small = found->minimal.empty() ? one.shown() : found->minimal;
    found->origin = one.origin;
    found->bytes = one.document_bytes;
    found->line = one.line.value_or(0);
    found->record_begin = one.record_byte.value_or(diff::Document::kNowhere);
    if (one.file_byte) {
      found->document_byte = 0;
      found->text_begin = *one.file_byte - found->record_begin;
    }
    found->input = one.input;
    found->input_whole = one.input_whole;
    found->minimal = small;
    RunFacts facts;
    facts.id = "shrink";
    facts.options = &again.options;
    facts.common = &again.common;
    std::optional<UnitFacts> unit;
    if (one.unit) unit = UnitFacts{*one.unit, one.source};
    records += divergence_record(facts, row, *found, unit ? &*unit : nullptr) + "\n";
    text += fmt::format("{} {}: {} to {} bytes: \"{}\"\n", one.id, one.cls, one.shown().size(),
                        small.size(), report::escape_preview(small, 200));
  }
  if (common.output.empty()) {
    cli::StandardOutput out;
    out.write(common.format == cli::Format::table ? text : records);
    out.flush();
  } else {
    io::OutputFile file(common.output);
    file.write(records);
    file.commit();
    if (!common.quiet) write(common, records.substr(0, records.size() - 1), text);
  }
  return ExitCode::ok;
}

}  // namespace toktier::diffcheck
