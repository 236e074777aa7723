#include "apps/common/number_check.hpp"
#include "apps/diffcheck/option_groups.hpp"

#include <CLI/CLI.hpp>

#include <set>

namespace toktier::diffcheck {
namespace {

void define_plan(CLI::App& plan, PlanOptions& o) {
  define_engines(plan, o.run);
  plan.add_option("inputs", o.run.inputs, "Files or folders of texts")->group("Documents");
  define_documents(plan, o.run);
  define_depth(plan, o.run);
  const auto group = [](CLI::Option* option) { option->group("Plan"); };
  group(plan.add_option("--shards", o.shards, "Shards, unless run says otherwise")
            ->check(cli::whole_number(1, 99'999))
            ->capture_default_str());
  group(plan.add_option("--unit-size", o.unit_kib, "KiB of text in a unit, about")
            ->check(cli::whole_number(1, std::uint64_t{1} << 32))
            ->capture_default_str());
}

void define_merge(CLI::App& merge, MergeOptions& o) {
  merge.add_option("run", o.run, "Folder of the run (--out of its shards)")->required();
  merge
      .add_option("--expect-shards", o.expect_shards,
                  "How many shards there are; default: as many as their folders say")
      ->check(cli::whole_number(1, 99'999));
  merge.add_flag("--no-gate", o.no_gate, "A divergence does not make the exit code 1");
  merge.add_flag("--allow-empty", o.allow_empty, "A run that checked nothing is not an error");
}

void define_report(CLI::App& report, ReportOptions& o) {
  report.add_option("run", o.run, "Folder of a merged run")->required();
  // Of its own: the forms that records have are none of a report's.
  report.add_option("--format", o.format, "html, junit or sarif")
      ->check(CLI::IsMember({"html", "junit", "sarif"}))
      ->capture_default_str();
}

void define_compare(CLI::App& compare, CompareOptions& o) {
  compare.add_option("old", o.before, "Folder of a merged run")->required();
  compare.add_option("new", o.after, "Folder of a later one")->required();
  compare.add_flag("--allow-less", o.allow_less, "Coverage that is lost does not fail");
}

void define_divergence(CLI::App& command, DivergenceOptions& o, bool runs) {
  command.add_option("file", o.file, "A record of a divergence, or lines of them")->required();
  command.add_option("--id", o.id, "This one of them");
  if (runs)
    command
        .add_option("--oracle-timeout", o.oracle_timeout,
                    "Seconds a reference may take for one request")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
}

}  // namespace

void define_shard(CLI::App& run, ShardOptions& o) {
  // What the plan says is not said again.
  std::vector<CLI::Option*> planned;
  for (CLI::Option* option : run.get_options()) {
    static const std::set<std::string> kFree = {"answers",     "oracle-timeout", "no-gate",
                                                "allow-empty", "ignore-missing", "help"};
    if (option->get_lnames().empty() || kFree.count(option->get_lnames().front()) == 0)
      planned.push_back(option);
  }
  const auto group = [](CLI::Option* option) {
    option->group("A shard of a plan");
    return option;
  };
  CLI::Option* plan = group(run.add_option("--plan", o.plan, "Run units of this plan"));
  for (CLI::Option* option : planned) {
    if (option->get_lnames().empty() && option->get_snames().empty() && !option->get_positional())
      continue;
    plan->excludes(option);
  }
  group(run.add_option("--shard", o.shard,
                       "i/N, from 0; i or auto alone: N from the plan. auto: i from "
                       "SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX"))
      ->needs(plan);
  group(run.add_option("--out", o.out, "Folder of the run; the shard writes below it"))
      ->needs(plan);
  group(run.add_flag("--resume", o.resume, "Go on where the shard was; start it if it was not"))
      ->needs(plan);
}

void define_campaign_commands(CLI::App& app, Options& options) {
  const auto add = [&](const char* name, const char* what) {
    CLI::App* command = app.add_subcommand(name, what);
    command->callback([&options, name] { options.chosen = name; });
    return command;
  };
  define_plan(*add("plan", "Cut a campaign into units that shards run"), options.plan);
  define_merge(*add("merge", "Put the shards of a run together"), options.merge);
  define_report(*add("report", "A merged run as a page, as JUnit or as SARIF"), options.report);
  define_compare(*add("compare", "What differs between two merged runs"), options.compare);
  define_divergence(*add("show", "Divergences, for a person"), options.divergence, false);
  define_divergence(*add("repro", "Does it still differ"), options.divergence, true);
  CLI::App* shrink = add("shrink", "Make the text of a divergence smaller");
  define_divergence(*shrink, options.divergence, true);
  shrink->add_option("--steps", options.divergence.steps, "Texts tried for each")
      ->check(cli::whole_number(1, ~std::uint64_t{0}))
      ->capture_default_str();
}

}  // namespace toktier::diffcheck
