#include "apps/diffcheck/options.hpp"

#include "apps/common/number_check.hpp"
#include "apps/diffcheck/option_groups.hpp"

#include <CLI/CLI.hpp>

namespace toktier::diffcheck {

void define_documents(CLI::App& run, RunOptions& o) {
  const auto group = [](CLI::Option* option) { option->group("Documents"); };
  group(run.add_option("--text", o.texts,
                       "A text, with escapes \\n \\t \\\\ \\xHH \\u{HEX}; may be repeated")
            ->allow_extra_args(false));
  group(
      run.add_option("--gen", o.generators, "Generators, NAME or NAME:COUNT (see list generators)")
          ->delimiter(',')
          ->allow_extra_args(false));
  group(run.add_flag("--exhaustive", o.exhaustive, "All texts over the alphabet up to --length"));
  group(run.add_option("--length", o.length, "Longest text of --exhaustive")
            ->check(cli::whole_number(1, 1000))
            ->capture_default_str());
  group(run.add_option(
      "--alphabet", o.alphabet,
      "Symbols of --exhaustive, separated by blanks, with escapes (a blank is \\x20); "
      "default: one character of each class of the model's patterns"));
  group(run.add_option("--input-format", o.input_format, "auto, text, lines or jsonl")
            ->check(CLI::IsMember({"auto", "text", "lines", "jsonl"}))
            ->capture_default_str());
  group(run.add_option("--field", o.field, "JSON pointer of the text in a record")
            ->capture_default_str());
  group(run.add_option("--id-field", o.id_field, "JSON pointer of the id in a record")
            ->capture_default_str());
}

void define_engines(CLI::App& run, RunOptions& o) {
  const auto group = [](CLI::Option* option) { option->group("Models, engines, checks"); };
  group(run.add_option("-m,--model", o.models, "Tokenizer file, folder or name; may be repeated")
            ->allow_extra_args(false));
  group(run.add_option("--models-all", o.models_all, "Every tokenizer file below this folder"));
  group(run.add_option("--engine", o.engine, "The engine under test")->capture_default_str());
  group(run.add_option("--against", o.against, "The engines to compare with; default: auto")
            ->delimiter(',')
            ->allow_extra_args(false));
  group(run.add_option("--check", o.checks, "Checks, separated by commas")->capture_default_str());
  group(run.add_option(
               "--special", o.special,
               "Control tokens in texts: default (as a plain call of the reference), none, all")
            ->check(CLI::IsMember({"default", "none", "all"}))
            ->capture_default_str());
  group(run.add_flag("--add-special", o.add_special, "Add the tokens of the post-processor"));
  group(run.add_flag("--truncate", o.truncate, "Truncation and padding as the file says"));
}

void define_depth(CLI::App& run, RunOptions& o) {
  const auto group = [](CLI::Option* option) { option->group("Conduct"); };
  group(run.add_option("--describe", o.describe, "Divergences shown in full, for each class")
            ->check(cli::whole_number(0, ~std::uint64_t{0}))
            ->capture_default_str());
  group(run.add_option("--rounds", o.rounds,
                       "Checks that draw ways through a document (append, edit, ...): how many for "
                       "each; short documents are taken every way there is")
            ->check(cli::whole_number(1, 1'000'000))
            ->capture_default_str());
  group(run.add_option("--shrink-steps", o.shrink_steps,
                       "Steps to make a failing text small; 0: leave it")
            ->check(cli::whole_number(0, ~std::uint64_t{0}))
            ->capture_default_str());
}

namespace {

void define_inputs(CLI::App& run, RunOptions& o) {
  const auto group = [](CLI::Option* option) { option->group("Documents"); };
  group(run.add_option("inputs", o.inputs, "Files or folders of texts; - for standard input"));
  define_documents(run, o);
  group(run.add_option("--cases", o.cases,
                       "Case file (JSON lines); each case runs on the model it names")
            ->allow_extra_args(false));
  group(run.add_option("--vectors", o.vectors, "Folder of vector files in the form of llama.cpp"));
}

void define_gate(CLI::App& gate, GateOptions& o) {
  gate.add_option("before", o.before, "Tokenizer file, folder or name that is in use")->required();
  gate.add_option("after", o.after, "The one that shall replace it")->required();
  const auto documents = [](CLI::Option* option) { option->group("Documents"); };
  documents(
      gate.add_option("inputs", o.run.inputs, "Files or folders of texts; - for standard input"));
  documents(gate.add_option("--corpus", o.run.inputs, "The same, as an option"));
  define_documents(gate, o.run);
  const auto group = [](CLI::Option* option) { option->group("Gate"); };
  group(gate.add_option("--max-changed", o.max_changed,
                        "Percent of documents that may have other ids")
            ->check(CLI::Range(0.0, 100.0))
            ->capture_default_str());
  group(gate.add_option("--max-drift", o.max_drift,
                        "Percent by which the number of tokens may change, up or down; default: "
                        "not asked")
            ->check(CLI::NonNegativeNumber));
  group(
      gate.add_option("--examples", o.run.describe, "Smallest texts shown for each class of change")
          ->check(cli::whole_number(0, 1000))
          ->capture_default_str());
  group(gate.add_option("--shrink-steps", o.run.shrink_steps,
                        "Steps to make an example small; 0: leave it")
            ->check(cli::whole_number(0, ~std::uint64_t{0}))
            ->capture_default_str());
  group(gate.add_option("--special", o.run.special, "Control tokens in texts: default, none, all")
            ->check(CLI::IsMember({"default", "none", "all"}))
            ->capture_default_str());
  group(gate.add_flag("--add-special", o.run.add_special, "Add the tokens of the post-processor"));
  group(gate.add_option("--junit", o.junit,
                        "Write the verdict to this file too, a test case for each source"));
}

void define_verify(CLI::App& verify, VerifyOptions& o) {
  verify.add_option("model", o.model, "Tokenizer file, folder or name")->required();
  verify.add_flag("--full", o.full,
                  "Every code point alone and in contexts, ten times as many generated texts");
  verify
      .add_option("--answers", o.run.answers,
                  "Folder that keeps answers of the reference for later runs")
      ->envname("TOKTIER_ANSWERS");
  verify
      .add_option("--oracle-timeout", o.run.oracle_timeout,
                  "Seconds a reference may take for one request")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void define_conduct(CLI::App& run, RunOptions& o) {
  const auto group = [](CLI::Option* option) { option->group("Conduct"); };
  group(run.add_option("--answers", o.answers,
                       "Folder that keeps answers of the reference for later runs")
            ->envname("TOKTIER_ANSWERS"));
  group(run.add_option("--max-divergences", o.max_divergences,
                       "Stop a model after so many differing documents; 0: never")
            ->check(cli::whole_number(0, ~std::uint64_t{0}))
            ->capture_default_str());
  group(run.add_option("--oracle-timeout", o.oracle_timeout,
                       "Seconds a reference may take for one request")
            ->check(CLI::PositiveNumber)
            ->capture_default_str());
  group(run.add_flag("--no-gate", o.no_gate, "A divergence does not make the exit code 1"));
  group(run.add_flag("--allow-empty", o.allow_empty, "A run that checked nothing is not an error"));
  group(run.add_flag("--ignore-missing", o.ignore_missing,
                     "A model or reference that is missing or refused is a row, not an error"));
}

}  // namespace

void define_options(CLI::App& app, Options& options) {
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* what) {
    CLI::App* command = app.add_subcommand(name, what);
    command->callback([&options, name] { options.chosen = name; });
    return command;
  };
  CLI::App* run = add("run", "Compare an engine with references over documents");
  define_engines(*run, options.run);
  define_inputs(*run, options.run);
  define_depth(*run, options.run);
  define_conduct(*run, options.run);
  define_shard(*run, options.shard);
  define_campaign_commands(app, options);
  define_gate(*add("gate", "What the change from one tokenizer file to another does to documents"),
              options.gate);
  define_verify(*add("verify", "Is this tokenizer file encoded exactly, and is it sound"),
                options.verify);
  CLI::App* list = add("list", "What there is: engines, checks, generators, models");
  list->add_option("what", options.list.what, "engines, checks, generators or models")
      ->required()
      ->check(CLI::IsMember({"engines", "checks", "generators", "models"}));
}

}  // namespace toktier::diffcheck
