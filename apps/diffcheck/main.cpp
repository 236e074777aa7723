#include "apps/common/program.hpp"
#include "apps/diffcheck/run.hpp"

int main(int argc, char** argv) {
  using namespace toktier;
  diffcheck::RunOptions run_options;
  diffcheck::ListOptions list_options;
  std::string chosen;
  cli::Program program;
  program.name = "toktier-diffcheck";
  program.what = "Compares tokenizers over documents, made or given, and shows where they part.";
  program.examples =
      "  toktier-diffcheck run -m tokenizer.json notes.txt\n"
      "  toktier-diffcheck run -m embedded --gen codepoints --check ids,spans,decode\n"
      "  toktier-diffcheck run -m qwen3 --against ext:hf --answers store/ corpora/*.jsonl.zst\n"
      "  toktier-diffcheck run --models-all models/ --gen random:100000 --seed 7 -o rows.jsonl\n"
      "  toktier-diffcheck run --cases cases.jsonl\n"
      "  toktier-diffcheck run --vectors vectors/llama.cpp\n"
      "  toktier-diffcheck run -m gpt2 --exhaustive --alphabet \"a \\x20 ' s \\n 1\" --length 6\n";
  program.define = [&](CLI::App& app) {
    diffcheck::define_options(app, run_options, list_options, &chosen);
  };
  program.run = [&](const cli::CommonOptions& common) {
    if (chosen == "list") return diffcheck::list(list_options, common);
    return diffcheck::run(run_options, common, std::vector<std::string>(argv, argv + argc));
  };
  return cli::run_program(argc, argv, program);
}
