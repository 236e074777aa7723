#include "apps/replay/replay_report.hpp"
#include "replay/workload_lines.hpp"
#include "report/json_writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <unistd.h>

namespace toktier::replay_app {
namespace {

using replay::Distribution;
using replay::OpTotals;
using replay::ReplayTotals;
using replay::WorkOp;
using report::JsonWriter;

void write_distribution(JsonWriter& json, std::string_view name, const Distribution& values) {
  json.key(name).begin_object().field("count", values.count()).field("sum", values.sum());
  json.field("p50", values.quantile(0.5)).field("p90", values.quantile(0.9));
  json.field("p99", values.quantile(0.99)).field("max", values.max()).end_object();
}

void write_op(JsonWriter& json, const OpTotals& op) {
  json.begin_object().field("steps", op.steps).field("verified", op.verified);
  json.field("referenced", op.referenced).field("given_bytes", op.given);
  json.field("encoded_bytes", op.encoded).field("patches", op.patches);
  json.field("told_ids", op.told_ids).field("no_seam_before", op.no_seam_before);
  json.field("no_seam_behind", op.no_seam_behind).field("score_moved", op.score_moved);
  json.key("nanoseconds").begin_object();
  for (std::size_t band = 0; band < replay::kBands; ++band) {
    if (op.nanoseconds[band].count() > 0)
      write_distribution(json, replay::band_name(band), op.nanoseconds[band]);
  }
  json.end_object().end_object();
}

void write_totals(JsonWriter& json, const ReplayTotals& t) {
  json.field("sessions", t.sessions).field("steps", t.steps()).field("repairs", t.repairs());
  json.field("verified", t.verified()).field("verified_repairs", t.verified_repairs());
  json.field("verified_edits", t.verified_edits()).field("referenced", t.referenced());
  json.field("differences", t.differences).field("refused", t.refused).field("lost", t.lost);
  json.field("given_bytes", t.given()).field("encoded_bytes", t.encoded());
  json.field("text_bytes", t.text_bytes).field("stopped", t.stopped);
  json.key("ops").begin_object();
  for (std::size_t op = 0; op < replay::kWorkOps; ++op) {
    if (t.ops[op].steps == 0) continue;
    json.key(replay::name_of(static_cast<WorkOp>(op)));
    write_op(json, t.ops[op]);
  }
  json.end_object();
  json.key("appends").begin_object().field("count", t.appends);
  json.field("without_seam", t.appends_without_seam);
  write_distribution(json, "given_bytes", t.append_bytes);
  write_distribution(json, "extra_bytes", t.append_extra);
  write_distribution(json, "without_seam_text_bytes", t.without_seam_text);
  json.end_object();
  json.key("bands").begin_object();
  for (std::size_t band = 0; band < replay::kBands; ++band) {
    if (t.changes_by_band[band] == 0) continue;
    json.key(replay::band_name(band)).begin_object();
    json.field("changes", t.changes_by_band[band]).field("verified", t.verified_by_band[band]);
    json.end_object();
  }
  json.end_object();
  write_distribution(json, "session_memory_bytes", t.memory);
  json.field("end_bytes", t.end_bytes).field("end_tokens", t.end_tokens);
}

void write_ids(JsonWriter& json, std::string_view name, const std::vector<TokenId>& ids) {
  json.key(name).begin_array();
  for (const TokenId id : ids) json.value(id);
  json.end_array();
}

}  // namespace

ReplayFacts make_facts(const Options& options, const cli::CommonOptions& common,
                       const std::vector<std::string>& command) {
  const std::time_t now = std::time(nullptr);
  ReplayFacts facts;
  facts.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  facts.run = fmt::format("{:%Y%m%dT%H%M%S}-{}", fmt::gmtime(now), ::getpid());
  facts.command = command;
  facts.options = &options;
  facts.common = &common;
  return facts;
}

void begin_record(JsonWriter& json, const ReplayFacts& facts, const char* kind) {
  json.begin_object().field("schema", "toktier.replay_run/1").field("kind", kind);
  json.field("run", facts.run);
}

std::string manifest_record(const ReplayFacts& facts) {
  std::string line;
  JsonWriter json(line);
  begin_record(json, facts, "manifest");
  json.field("started", facts.started).field("version", cli::version());
  json.field("commit", cli::commit()).key("command").begin_array();
  for (const std::string& word : facts.command) json.value(word);
  json.end_array().field("seed", facts.common->seed).field("jobs", facts.common->jobs);
  json.field("template", facts.options->chat_template);
  json.field("interface", facts.options->replay.interface);
  json.field("target", facts.options->replay.target);
  json.field("verify", facts.options->replay.verify).end_object();
  return line;
}

std::string row_record(const ReplayFacts& facts, const ReplayRow& row) {
  std::string line;
  JsonWriter json(line);
  begin_record(json, facts, "row");
  json.field("model", row.model).field("policy", row.policy).field("status", row.status);
  json.field("reason", row.reason);
  if (row.loaded != nullptr) {
    const TokenizerInfo& info = row.loaded->info();
    json.key("tokenizer").begin_object().field("kind", info.kind);
    json.field("fingerprint", info.fingerprint).field("reference", info.reference);
    json.field("unicode", info.unicode).end_object();
    const diff::EngineIdentity& reference = row.loaded->reference();
    if (!reference.row.empty()) {
      json.key("reference").begin_object().field("row", reference.row);
      json.field("name", reference.name).field("version", reference.version);
      json.field("unicode", reference.unicode).field("fingerprint", reference.fingerprint);
      json.field("deaths", row.loaded->reference_deaths());
      json.field("lost", row.loaded->reference_lost()).end_object();
    }
    json.field("whole_documents", row.loaded->refusal());
    write_totals(json, row.totals);
  }
  json.end_object();
  return line;
}

std::string difference_record(const ReplayFacts& facts, const ShownDifference& shown) {
  std::string line;
  JsonWriter json(line);
  const replay::WorkDifference& d = *shown.difference;
  const replay::WorkStep& step = shown.work->steps[d.step];
  begin_record(json, facts, "difference");
  json.field("number", shown.number).field("model", shown.model->name());
  json.field("fingerprint", shown.model->info().fingerprint);
  json.field("policy", shown.work->policy).field("file", shown.work->file);
  json.field("format", shown.work->format).field("session", d.session);
  json.field("step", d.step + 1).field("op", replay::name_of(step.op)).field("turn", step.turn);
  json.field("text_bytes", step.bytes).field("what", d.what).field("at", d.at);
  json.field("ours_count", d.ours_count).field("theirs_count", d.theirs_count);
  write_ids(json, "ours", d.ours);
  write_ids(json, "theirs", d.theirs);
  json.field("message", d.message).field("repro_file", shown.repro_file);
  json.key("repro").begin_array();
  for (const replay::WorkStep& one : shown.repro) json.raw(replay::workload_line(one));
  json.end_array().end_object();
  return line;
}

std::string summary_record(const ReplayFacts& facts, const std::vector<ReplayRow>& rows,
                           std::uint64_t problems, double seconds, cli::ExitCode code) {
  ReplayTotals all;
  for (const ReplayRow& row : rows) all.merge(row.totals);
  std::string line;
  JsonWriter json(line);
  begin_record(json, facts, "summary");
  json.field("rows", rows.size());
  write_totals(json, all);
  json.field("problems", problems).field("seconds", seconds);
  json.field("exit_code", static_cast<int>(code)).end_object();
  return line;
}

}  // namespace toktier::replay_app
