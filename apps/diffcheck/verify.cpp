// verify FILE: one command that says whether a tokenizer file is encoded exactly, and whether it is
// sound. It is a run with generators and checks chosen, after a look at the file.

#include "apps/diffcheck/run.hpp"
#include "diff/health.hpp"
#include "diff/sources/text_pools.hpp"
#include "model/find_file.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <iterator>

namespace toktier::diffcheck {
namespace {

constexpr std::size_t kExamples = 5;

std::vector<std::string> generators(bool full) {
  const std::size_t times = full ? 10 : 1;
  std::vector<std::string> out = {"automaton"};
  const auto add = [&](std::string_view name, std::size_t count) {
    out.push_back(fmt::format("{}:{}", name, count * times));
  };
  for (const auto& pool : diff::sources::text_pools()) add(pool.name, 1000);
  for (const char* name : {"added", "classes", "utf8", "random"}) add(name, 2000);
  for (const char* name : {"code", "json", "log", "markdown"}) add(name, 100);
  add("runs", 30);
  out.push_back("vocab");
  add("vocab-pairs", 10'000);
  if (full) {
    out.push_back("codepoints");
    out.push_back("contexts");
  }
  return out;
}

std::vector<std::pair<std::string, std::uint64_t>> rows(const diff::Health& health) {
  return {{"entries", health.entries},
          {"that alone become themselves", health.themselves},
          {"that alone become other ids", health.others},
          {"that are no whole characters", health.partial},
          {"that decode to nothing", health.empty},
          {"whose text is refused", health.refused},
          {"whose text an earlier one has too", health.shared}};
}

Preface preface_of(const TokenizerInfo& info, const diff::Health& health) {
  Preface preface;
  report::JsonWriter json(preface.record);
  json.begin_object().field("schema", "toktier.health/1").field("file", info.path);
  json.field("kind", info.kind).field("fingerprint", info.fingerprint);
  json.field("reference", info.reference).field("unicode", info.unicode);
  json.field("engine", info.engine).field("entries", health.entries);
  json.field("themselves", health.themselves).field("others", health.others);
  json.field("partial", health.partial).field("empty", health.empty);
  json.field("refused", health.refused).field("shared", health.shared);
  json.key("examples").begin_array();
  for (const std::string& example : health.examples) json.value(example);
  json.end_array().key("notes").begin_array();
  for (const auto& [name, value] : info.fields)
    if (name == "note") json.value(value);
  json.end_array().end_object();

  report::Table table({{"file"}, {info.path}});
  for (const auto& [name, value] : {std::pair<const char*, const std::string&>{"kind", info.kind},
                                    {"fingerprint", info.fingerprint},
                                    {"reference", info.reference},
                                    {"unicode", info.unicode},
                                    {"engine", info.engine}})
    if (!value.empty()) table.add({name, value});
  for (const auto& [name, value] : info.fields) table.add({name, value});
  preface.text = table.text() + "\nvocabulary\n";
  auto out = std::back_inserter(preface.text);
  for (const auto& [name, count] : rows(health))
    fmt::format_to(out, "  {:>14}  {}\n", report::grouped(count), name);
  for (const std::string& example : health.examples) fmt::format_to(out, "  {}\n", example);
  if (health.others > health.examples.size() && !health.examples.empty()) preface.text += "  ...\n";
  preface.text += '\n';
  return preface;
}

}  // namespace

cli::ExitCode verify(const VerifyOptions& options, const cli::CommonOptions& common,
                     const std::vector<std::string>& command) {
  const Tokenizer tokenizer = Tokenizer::load(
      options.model == "embedded" ? options.model
                                  : model::find_lasting_tokenizer_file(options.model));
  RunOptions run_options = options.run;
  run_options.models = {options.model};
  run_options.against = {"auto", "naive"};
  run_options.checks = "ids,spans,pieces,decode,append,edit,split,parts,count,kernel,stream-decode";
  run_options.generators = generators(options.full);
  // Without a reference engine here the slow twin still compares; the missing one is a row.
  run_options.ignore_missing = true;
  return run(run_options, common, command,
             preface_of(tokenizer.info(), diff::health_of(tokenizer, kExamples)));
}

}  // namespace toktier::diffcheck
