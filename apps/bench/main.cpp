#include "apps/bench/options.hpp"
#include "apps/bench/run.hpp"
#include "apps/bench/run_append.hpp"
#include "apps/bench/worker.hpp"
#include "toktier/error.hpp"

#include <fmt/core.h>

#include <cstdio>

int main(int argc, char** argv) {
  using namespace toktier;
  bench::Options options;
  cli::Program program;
  program.name = "toktier-bench";
  program.what =
      "Speed beside other tokenizers in one run, ids compared: whole texts in fresh processes, and "
      "appends to a session.";
  program.examples =
      "  toktier-bench encode -m embedded notes.txt\n"
      "  toktier-bench encode -m llama3.1 --peers hf,gigatoken,fastokens --format table "
      "docs.jsonl\n"
      "  toktier-bench encode -m gpt4o --peers tiktoken --peer-file "
      "tiktoken=o200k_base.tiktoken docs.jsonl\n"
      "  toktier-bench encode -m gpt2 -m qwen3 --each --slice-bytes 4MB --seed 1 -o out.jsonl "
      "'slices/*.jsonl'\n"
      "  toktier-bench append -m qwen3 --context 65536,1000000,8000000 --peers hf docs.jsonl\n"
      "  toktier-bench docs.jsonl -m llama3.1 --models append --context 65536 --append 1400 "
      "--format jsonl\n";
  program.define = [&](CLI::App& app) { bench::define_options(app, options); };
  program.run = [&](const cli::CommonOptions& common) {
    if (options.command == "worker") return bench::run_worker(cli::version());
    if (options.command == "append") return bench::run_append(options, common);
    return bench::run_encode(options, common);
  };
  std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    arguments = bench::with_workload_first(std::move(arguments));
  } catch (const Error& error) {
    fmt::print(stderr, "toktier-bench: --models: {}\n", error.what());
    return static_cast<int>(cli::ExitCode::usage);
  }
  std::vector<char*> pointers = {argv[0]};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return cli::run_program(static_cast<int>(pointers.size()) - 1, pointers.data(), program);
}
