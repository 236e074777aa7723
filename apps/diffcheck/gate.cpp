// gate OLD NEW: what the change from one tokenizer file to another does to documents.

#include "apps/common/output.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "apps/diffcheck/gate_report.hpp"
#include "apps/diffcheck/job.hpp"
#include "apps/diffcheck/run.hpp"
#include "diff/cpu_engine.hpp"
#include "diff/dominant_script.hpp"
#include "io/output_file.hpp"
#include "model/embedded.hpp"
#include "model/find_file.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace toktier::diffcheck {
namespace {

using cli::ExitCode;
using cli::Format;

struct File {
  std::shared_ptr<const Tokenizer> tokenizer;
  model::TokenizerSpec spec;
};

File load(const std::string& name) {
  if (name == "embedded")
    return {std::make_shared<const Tokenizer>(Tokenizer::load(name)),
            model::load_bytes(model::embedded_gpt2(), name)};
  const std::string path = model::find_lasting_tokenizer_file(name);
  return {std::make_shared<const Tokenizer>(Tokenizer::load(path)), model::load(path)};
}

/// "source FILE" and "script NAME".
std::vector<std::string> groups_of(const diff::Document& document) {
  const std::string source = document.origin.empty()
                                 ? document.id
                                 : std::filesystem::path(document.origin).filename().string();
  return {std::string(kSourceGroup) + source,
          std::string(kScriptGroup) + std::string(diff::dominant_script(document.text))};
}

}  // namespace

ExitCode gate(const GateOptions& options, const cli::CommonOptions& common,
              const std::vector<std::string>& command) {
  cli::finish_on_signal();
  const RunOptions& run = options.run;
  if (run.inputs.empty() && run.texts.empty() && run.generators.empty() && !run.exhaustive)
    throw Error(ErrorCode::usage, "no documents: give files, --text, --gen or --exhaustive");
  GateResult result;
  result.command = command;
  result.before = options.before;
  result.after = options.after;
  const File before = load(options.before), after = load(options.after);
  result.before_fingerprint = before.tokenizer->info().fingerprint;
  result.after_fingerprint = after.tokenizer->info().fingerprint;
  result.changes = diff::file_changes(before.spec, before.tokenizer->info(), after.spec,
                                      after.tokenizer->info());

  diff::CampaignPlan plan;
  plan.parts = diff::kIds;
  plan.options.special = run.special == "none"  ? SpecialMode::none
                         : run.special == "all" ? SpecialMode::all
                                                : SpecialMode::file_default;
  plan.options.add_special = run.add_special;
  plan.lanes = common.jobs;
  plan.max_differences = 0;
  plan.described_per_class = run.describe;
  plan.shrink_steps = run.shrink_steps;
  plan.seed = common.seed;
  plan.stop = &cli::stop_flag();
  plan.groups_of = groups_of;
  plan.ours = [&] { return diff::make_cpu_engine(after.tokenizer); };
  plan.theirs = [&] { return diff::make_cpu_engine(before.tokenizer); };
  plan.on_divergence = [&](const diff::Divergence& found) { result.examples.push_back(found); };
  const auto source = open_documents(run, {}, after.tokenizer, common.seed);
  cli::Progress progress(common.progress, common.quiet);
  progress.begin("gate", progress_unit(run, {}));
  plan.on_progress = [&](const diff::Verdict& verdict, std::uint64_t position) {
    progress.update(position, source->total(),
                    fmt::format("{} documents changed", verdict.different_documents));
  };
  result.verdict = diff::run_campaign(plan, *source);
  progress.clear();

  judge(options, result);
  std::optional<io::OutputFile> file;
  if (!common.output.empty()) file.emplace(common.output);
  std::optional<io::OutputFile> junit;
  if (!options.junit.empty()) junit.emplace(options.junit);
  const std::string record = gate_record(options, result);
  cli::StandardOutput out;
  if (common.format == Format::table)
    out.write(gate_text(options, result));
  else
    out.write(common.format == Format::json ? "[" + record + "]\n" : record + "\n");
  out.flush();
  if (file) {
    file->write(record + "\n");
    file->commit();
  }
  if (junit) {
    junit->write(gate_junit(options, result));
    junit->commit();
  }
  return result.code;
}

}  // namespace toktier::diffcheck
