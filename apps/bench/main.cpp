#include "apps/bench/options.hpp"
#include "apps/bench/run.hpp"
#include "apps/bench/worker.hpp"

int main(int argc, char** argv) {
  using namespace toktier;
  bench::Options options;
  cli::Program program;
  program.name = "toktier-bench";
  program.what =
      "Speed beside other tokenizers in one run: interleaved, in fresh processes, ids compared.";
  program.examples =
      "  toktier-bench encode -m embedded notes.txt\n"
      "  toktier-bench encode -m llama3.1 --peers hf,gigatoken,fastokens --format table "
      "docs.jsonl\n"
      "  toktier-bench encode -m gpt4o --peers tiktoken --peer-file "
      "tiktoken=o200k_base.tiktoken docs.jsonl\n"
      "  toktier-bench encode -m gpt2 -m qwen3 --each --slice-bytes 4MB --seed 1 -o out.jsonl "
      "'slices/*.jsonl'\n";
  program.define = [&](CLI::App& app) { bench::define_options(app, options); };
  program.run = [&](const cli::CommonOptions& common) {
    if (options.command == "worker") return bench::run_worker(cli::version());
    return bench::run_encode(options, common);
  };
  return cli::run_program(argc, argv, program);
}
