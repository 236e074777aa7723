#include "apps/diffcheck/records.hpp"

#include "diff/check_table.hpp"
#include "diff/digest.hpp"
#include "report/escape.hpp"
#include "report/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toktier::diffcheck {
namespace {

using report::JsonWriter;

void write_identity(JsonWriter& json, std::string_view key, const diff::EngineIdentity& identity) {
  json.key(key).begin_object().field("row", identity.row).field("name", identity.name);
  json.field("version", identity.version).field("unicode", identity.unicode);
  json.field("fingerprint", identity.fingerprint).field("kind", identity.kind).end_object();
}

void write_counts(JsonWriter& json, std::string_view key,
                  const std::map<std::string, std::uint64_t>& counts) {
  json.key(key).begin_object();
  for (const auto& [name, count] : counts) json.field(name, count);
  json.end_object();
}

void begin(JsonWriter& json, const char* schema, const RunFacts& facts) {
  json.begin_object().field("schema", schema).field("run", facts.id);
}

/// In files: the line, the record's first byte, and the byte of the difference where the text
/// stands in the file as it is.
void write_place(JsonWriter& json, const diff::Divergence& divergence) {
  const auto number = [&](const char* name, std::uint64_t value, bool known) {
    json.key(name);
    if (known) {
      json.value(value);
    } else {
      json.null();
    }
  };
  const bool in_file = divergence.record_begin != diff::Document::kNowhere;
  const bool as_it_is = in_file && divergence.text_begin != diff::Document::kNowhere;
  number("line", divergence.line, divergence.line > 0);
  number("record_byte", divergence.record_begin, in_file);
  number("file_byte", divergence.record_begin + divergence.text_begin + divergence.document_byte,
         as_it_is);
}

/// Shown to people: hash of class and smallest input, so that equal findings have equal names.
std::string divergence_id(const diff::Divergence& divergence) {
  const std::string& input = divergence.minimal.empty() ? divergence.input : divergence.minimal;
  return fmt::format("D{:016x}", diff::digest_bytes(divergence.cls + '\n' + input));
}

}  // namespace

std::string manifest_record(const RunFacts& facts) {
  std::string line;
  JsonWriter json(line);
  begin(json, "toktier.manifest/1", facts);
  json.field("started", facts.started)
      .field("version", cli::version())
      .field("commit", cli::commit());
  json.key("command").begin_array();
  for (const std::string& word : facts.command) json.value(word);
  json.end_array().field("seed", facts.common->seed).field("jobs", facts.common->jobs);
  json.field("engine", facts.options->engine).field("checks", facts.options->checks).end_object();
  return line;
}

std::string divergence_record(const RunFacts& facts, const Row& row,
                              const diff::Divergence& divergence, const UnitFacts* unit) {
  std::string line;
  JsonWriter json(line);
  begin(json, "toktier.divergence/1", facts);
  json.field("id", divergence_id(divergence)).field("class", divergence.cls);
  json.field("check", divergence.difference.check).field("stage", divergence.difference.stage);
  json.field("model", row.model);
  write_identity(json, "engine", row.engine);
  write_identity(json, "reference", row.reference);
  json.field("document", divergence.document).field("origin", divergence.origin);
  write_place(json, divergence);
  json.field("document_bytes", divergence.bytes).field("index", divergence.difference.index);
  json.field("byte", divergence.difference.byte);
  json.field("input", report::escape_preview(divergence.input, 400));
  json.field("input_base64", report::base64(divergence.input))
      .field("input_whole", divergence.input_whole);
  if (divergence.minimal.empty()) {
    json.key("minimal").null().key("minimal_base64").null();
  } else {
    json.field("minimal", report::escape(divergence.minimal));
    json.field("minimal_base64", report::base64(divergence.minimal));
  }
  json.field("shrink_steps", divergence.shrink_steps)
      .field("shrink_finished", divergence.shrink_finished);
  json.field("actual", divergence.window.ours).field("expected", divergence.window.theirs);
  json.field("seed", facts.common->seed).field("repro", repro_line(facts, row, divergence));
  const RunOptions& o = *facts.options;
  json.key("options").begin_object().field("special", o.special);
  json.field("add_special", o.add_special).field("truncate", o.truncate);
  json.field("rounds", o.rounds).end_object();
  if (unit != nullptr) json.field("unit", unit->unit).field("source", unit->source);
  json.end_object();
  return line;
}

std::string verdict_record(const RunFacts& facts, const Row& row) {
  const diff::Verdict& v = row.verdict;
  std::string line;
  JsonWriter json(line);
  begin(json, "toktier.verdict/1", facts);
  json.field("model", row.model).field("status", row.status).field("reason", row.reason);
  write_identity(json, "engine", row.engine);
  write_identity(json, "reference", row.reference);
  json.field("documents", v.documents).field("bytes", v.bytes).field("code_points", v.code_points);
  json.field("ids", v.ids).field("distinct_ids", v.distinct_ids).field("end_id", v.end_id);
  write_counts(json, "checked", v.checked);
  write_counts(json, "skipped", v.skipped);
  write_counts(json, "differences", v.differences);
  json.field("different_documents", v.different_documents).field("both_refused", v.both_refused);
  json.field("quoted_agree", v.quoted_agree).field("quoted_differ", v.quoted_differ);
  json.key("quoted_differing").begin_array();
  for (const std::string& id : v.quoted_differing) json.value(id);
  json.end_array();
  json.field("store_hits", v.store_hits).field("store_misses", v.store_misses);
  json.field("store_damaged", v.store_damaged).field("restarts", v.restarts);
  const std::uint64_t agreed = v.different_documents == 0 ? v.documents - v.both_refused : 0;
  json.key("upper_bound_95");
  if (agreed > 0) {
    json.value(diff::rule_of_three(agreed));
  } else {
    json.null();
  }
  json.field("stopped", v.stopped).field("limit_reached", v.limit_reached);
  json.field("ours_seconds", v.ours_seconds).field("reference_wait_seconds", v.theirs_seconds);
  json.field("seconds", v.wall_seconds).end_object();
  return line;
}

std::string summary_record(const RunFacts& facts, const std::vector<Row>& rows, cli::ExitCode code,
                           double seconds) {
  std::map<std::string, std::uint64_t> statuses;
  std::uint64_t documents = 0, checks = 0, differences = 0;
  for (const Row& row : rows) {
    ++statuses[row.status];
    documents += row.verdict.documents;
    checks += row.verdict.checks();
    differences += row.verdict.difference_count();
  }
  std::string line;
  JsonWriter json(line);
  begin(json, "toktier.summary/1", facts);
  json.field("rows", rows.size());
  write_counts(json, "statuses", statuses);
  json.field("documents", documents).field("checks", checks).field("differences", differences);
  json.field("exit_code", static_cast<int>(code)).field("seconds", seconds).end_object();
  return line;
}

std::string repro_line(const RunFacts& facts, const Row& row, const diff::Divergence& divergence) {
  const RunOptions& o = *facts.options;
  const std::string& text = divergence.minimal.empty() ? divergence.input : divergence.minimal;
  const std::string& check = divergence.difference.check;
  const bool way = diff::parse_checks(check) >= diff::kFirstWay;
  std::string line = fmt::format("toktier-diffcheck run -m {} --engine {}",
                                 report::shell_quote(row.model), o.engine);
  if (!way) line += " --against " + row.reference.row;
  line += " --check " + check;
  // As many ways as were drawn to make the text small.
  if (way)
    line += fmt::format(" --rounds {} --seed {}", std::max(o.rounds, diff::kShrinkRounds),
                        facts.common->seed);
  if (o.special != "default") line += " --special " + o.special;
  if (o.add_special) line += " --add-special";
  if (o.truncate) line += " --truncate";
  return line + " --text " + report::shell_quote(report::escape(text));
}

}  // namespace toktier::diffcheck
