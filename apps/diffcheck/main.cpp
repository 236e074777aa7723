#include "apps/common/program.hpp"
#include "apps/diffcheck/run.hpp"

int main(int argc, char** argv) {
  using namespace toktier;
  diffcheck::Options options;
  cli::Program program;
  program.name = "toktier-diffcheck";
  program.what = "Compares tokenizers over documents, made or given, and shows where they part.";
  program.examples =
      "  toktier-diffcheck run -m tokenizer.json notes.txt\n"
      "  toktier-diffcheck run -m embedded --gen codepoints --check ids,spans,decode\n"
      "  toktier-diffcheck run -m qwen3 --against ext:hf --answers store/ corpora/*.jsonl.zst\n"
      "  toktier-diffcheck run --models-all models/ --gen random:100000 --seed 7 -o rows.jsonl\n"
      "  toktier-diffcheck verify tokenizer.json\n"
      "  toktier-diffcheck gate old/tokenizer.json new/tokenizer.json corpora/ --junit gate.xml\n"
      "  toktier-diffcheck plan --models-all models/ corpora/ --gen classes --shards 64 -o "
      "plan.json\n"
      "  toktier-diffcheck run --plan plan.json --shard auto --out RUN --resume --no-gate\n"
      "  toktier-diffcheck merge RUN --expect-shards 64\n"
      "  toktier-diffcheck report RUN --format html -o report.html\n"
      "  toktier-diffcheck compare OLD_RUN NEW_RUN\n"
      "  toktier-diffcheck repro RUN/merged/divergences.jsonl --id D0123456789abcdef\n"
      "  toktier-diffcheck run --cases cases.jsonl\n"
      "  toktier-diffcheck run --vectors vectors/llama.cpp\n"
      "  toktier-diffcheck run -m gpt2 --exhaustive --alphabet \"a \\x20 ' s \\n 1\" --length 6\n";
  program.define = [&](CLI::App& app) { diffcheck::define_options(app, options); };
  program.run = [&](const cli::CommonOptions& common) {
    const std::vector<std::string> command(argv, argv + argc);
    if (options.chosen == "list") return diffcheck::list(options.list, common);
    if (options.chosen == "verify") return diffcheck::verify(options.verify, common, command);
    if (options.chosen == "gate") return diffcheck::gate(options.gate, common, command);
    if (options.chosen == "plan") return diffcheck::plan(options.plan, common);
    if (options.chosen == "merge") return diffcheck::merge(options.merge, common);
    if (options.chosen == "report") return diffcheck::report(options.report, common);
    if (options.chosen == "compare") return diffcheck::compare(options.compare, common);
    if (options.chosen == "show") return diffcheck::show(options.divergence, common);
    if (options.chosen == "repro") return diffcheck::repro(options.divergence, common);
    if (options.chosen == "shrink") return diffcheck::shrink(options.divergence, common);
    if (!options.shard.plan.empty())
      return diffcheck::run_shard(options.shard, options.run, common, command);
    return diffcheck::run(options.run, common, command);
  };
  return cli::run_program(argc, argv, program);
}
