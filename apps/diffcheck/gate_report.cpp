#include "apps/diffcheck/gate_report.hpp"

#include "report/escape.hpp"
#include "report/json_writer.hpp"
#include "report/junit.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace toktier::diffcheck {
namespace {

using report::grouped;

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double drift(std::uint64_t before, std::uint64_t after) {
  if (before == 0) return after == 0 ? 0 : 100;
  return 100.0 * (static_cast<double>(after) - static_cast<double>(before)) /
         static_cast<double>(before);
}

const std::string& text_of(const diff::Divergence& found) {
  return found.minimal.empty() ? found.input : found.minimal;
}

std::string repro(const GateResult& result, const diff::Divergence& found) {
  return fmt::format("toktier-diffcheck gate {} {} --text {}", report::shell_quote(result.before),
                     report::shell_quote(result.after),
                     report::shell_quote(report::escape(text_of(found))));
}

std::string groups_text(const GateResult& result, std::string_view kind, const char* title) {
  using Align = report::Table::Align;
  report::Table table({{title, Align::left},
                       {"documents", Align::right},
                       {"changed", Align::right},
                       {"%", Align::right},
                       {"tokens before", Align::right},
                       {"after", Align::right},
                       {"drift %", Align::right}});
  for (const auto& [name, group] : result.verdict.groups) {
    if (!name.starts_with(kind)) continue;
    table.add({name.substr(kind.size()), grouped(group.documents), grouped(group.different),
               fmt::format("{:.2f}", percent(group.different, group.documents)),
               grouped(group.theirs), grouped(group.ours),
               fmt::format("{:+.3f}", drift(group.theirs, group.ours))});
  }
  return table.text();
}

}  // namespace

void judge(const GateOptions& options, GateResult& result) {
  const diff::Verdict& v = result.verdict;
  for (const auto& [name, group] : v.groups) {
    if (!name.starts_with(kScriptGroup)) continue;
    result.documents += group.documents;
    result.changed += group.different;
    result.tokens_before += group.theirs;
    result.tokens_after += group.ours;
  }
  result.changed_percent = percent(result.changed, result.documents);
  result.drift_percent = drift(result.tokens_before, result.tokens_after);
  if (result.changed_percent > options.max_changed)
    result.failures.push_back(fmt::format(
        "{} of {} documents have other ids: {:.3f} %, allowed {} %", grouped(result.changed),
        grouped(result.documents), result.changed_percent, options.max_changed));
  if (options.max_drift >= 0 && std::abs(result.drift_percent) > options.max_drift)
    result.failures.push_back(
        fmt::format("{} tokens became {}: {:+.3f} %, allowed {} %", grouped(result.tokens_before),
                    grouped(result.tokens_after), result.drift_percent, options.max_drift));
  if (!result.failures.empty()) result.code = cli::worse(result.code, cli::ExitCode::divergence);
  if (result.documents == 0) result.code = cli::worse(result.code, cli::ExitCode::input);
  if (v.failed_inputs > 0) result.code = cli::worse(result.code, cli::ExitCode::input);
  if (v.stopped) result.code = cli::worse(result.code, cli::ExitCode::stopped);
}

std::string gate_text(const GateOptions& options, const GateResult& result) {
  std::string text = fmt::format("before  {}  {}\nafter   {}  {}\n\n", result.before,
                                 result.before_fingerprint, result.after, result.after_fingerprint);
  auto out = std::back_inserter(text);
  if (result.changes.empty()) {
    text += result.before_fingerprint == result.after_fingerprint
                ? "The files are the same.\n"
                : "The files say the same in other bytes.\n";
  } else {
    report::Table table({{"what changed"}, {"before"}, {"after"}});
    for (const diff::FileChange& change : result.changes)
      table.add({change.what, change.before, change.after});
    text += table.text();
  }
  text += '\n' + groups_text(result, kSourceGroup, "source");
  text += '\n' + groups_text(result, kScriptGroup, "script");
  if (!result.verdict.differences.empty()) text += "\nChanges by class\n";
  for (const auto& [cls, count] : result.verdict.differences)
    fmt::format_to(out, "  {:>14}  {}\n", grouped(count), cls);
  if (!result.verdict.skipped.empty()) text += "\nSkipped, by reason\n";
  for (const auto& [reason, count] : result.verdict.skipped)
    fmt::format_to(out, "  {:>14}  {}\n", grouped(count), reason);
  for (const diff::Divergence& found : result.examples)
    fmt::format_to(out,
                   "\nexample {}  {}\n  text    \"{}\"\n  before  {}\n  after   {}\n  repro   {}\n",
                   found.cls, found.document, report::escape_preview(text_of(found), 400),
                   found.window.theirs, found.window.ours, repro(result, found));
  fmt::format_to(out,
                 "\n{} documents, {} with other ids ({:.3f} %); {} tokens, then {} ({:+.3f} %)\n",
                 grouped(result.documents), grouped(result.changed), result.changed_percent,
                 grouped(result.tokens_before), grouped(result.tokens_after), result.drift_percent);
  static_cast<void>(options);
  if (result.documents == 0)
    text += "nothing was compared\n";
  else if (result.failures.empty())
    text += "gate passed\n";
  for (const std::string& failure : result.failures) text += "gate FAILED: " + failure + '\n';
  return text;
}

std::string gate_record(const GateOptions& options, const GateResult& result) {
  std::string line;
  report::JsonWriter json(line);
  json.begin_object().field("schema", "toktier.gate/1");
  json.key("command").begin_array();
  for (const std::string& word : result.command) json.value(word);
  json.end_array();
  const auto file = [&](const char* key, const std::string& name, const std::string& fingerprint) {
    json.key(key).begin_object().field("file", name).field("fingerprint", fingerprint).end_object();
  };
  file("before", result.before, result.before_fingerprint);
  file("after", result.after, result.after_fingerprint);
  json.key("changes").begin_array();
  for (const diff::FileChange& change : result.changes)
    json.begin_object()
        .field("what", change.what)
        .field("before", change.before)
        .field("after", change.after)
        .end_object();
  json.end_array();
  json.field("documents", result.documents).field("changed", result.changed);
  json.field("changed_percent", result.changed_percent).field("max_changed", options.max_changed);
  json.field("tokens_before", result.tokens_before).field("tokens_after", result.tokens_after);
  json.field("drift_percent", result.drift_percent).key("max_drift");
  if (options.max_drift >= 0)
    json.value(options.max_drift);
  else
    json.null();
  const auto counts = [&](const char* key, const std::map<std::string, std::uint64_t>& of) {
    json.key(key).begin_object();
    for (const auto& [name, count] : of) json.field(name, count);
    json.end_object();
  };
  counts("classes", result.verdict.differences);
  counts("skipped", result.verdict.skipped);
  json.key("groups").begin_array();
  for (const auto& [name, group] : result.verdict.groups) {
    const std::size_t blank = name.find(' ');
    json.begin_object()
        .field("kind", name.substr(0, blank))
        .field("name", name.substr(blank + 1))
        .field("documents", group.documents)
        .field("changed", group.different)
        .field("tokens_before", group.theirs)
        .field("tokens_after", group.ours)
        .end_object();
  }
  json.end_array().key("examples").begin_array();
  for (const diff::Divergence& found : result.examples)
    json.begin_object()
        .field("class", found.cls)
        .field("document", found.document)
        .field("text", report::escape(text_of(found)))
        .field("before", found.window.theirs)
        .field("after", found.window.ours)
        .field("repro", repro(result, found))
        .end_object();
  json.end_array().key("failures").begin_array();
  for (const std::string& failure : result.failures) json.value(failure);
  json.end_array().field("passed", result.code == cli::ExitCode::ok).end_object();
  return line;
}

std::string gate_junit(const GateOptions& options, const GateResult& result) {
  std::vector<report::JunitCase> cases;
  const std::string suite = fmt::format("{} -> {}", result.before, result.after);
  for (const auto& [name, group] : result.verdict.groups) {
    if (!name.starts_with(kSourceGroup)) continue;
    report::JunitCase c;
    c.group = "tokenizer gate";
    c.name = name.substr(kSourceGroup.size());
    if (percent(group.different, group.documents) > options.max_changed) {
      c.failure =
          fmt::format("{} of {} documents have other ids", group.different, group.documents);
      for (const diff::Divergence& found : result.examples)
        c.failure += fmt::format("\n{} \"{}\"\n  before {}\n  after  {}\n  {}", found.cls,
                                 report::escape_preview(text_of(found), 200), found.window.theirs,
                                 found.window.ours, repro(result, found));
    }
    cases.push_back(std::move(c));
  }
  report::JunitCase all;
  all.group = "tokenizer gate";
  all.name = "thresholds";
  for (const std::string& failure : result.failures)
    all.failure += (all.failure.empty() ? "" : "\n") + failure;
  if (result.documents == 0) all.failure = "nothing was compared";
  cases.push_back(std::move(all));
  return report::junit_text(suite, cases);
}

}  // namespace toktier::diffcheck
