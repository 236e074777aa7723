#include "apps/common/program.hpp"
#include "apps/replay/run.hpp"

#include <string>
#include <vector>

int main(int argc, char** argv) {
  using namespace toktier;
  replay_app::Options options;
  cli::Program program;
  program.name = "toktier-replay";
  program.what =
      "Reads agent transcripts of many formats, converts and measures them, and carries them out "
      "on sessions.";
  program.examples =
      "  toktier-replay list\n"
      "  toktier-replay check traces/\n"
      "  toktier-replay stats traces/ --format table\n"
      "  toktier-replay stats session.jsonl -m qwen3\n"
      "  toktier-replay convert ~/.claude/projects/ -o sessions.jsonl.zst\n"
      "  toktier-replay replay traces/ -m qwen3 --template chatml --mutate all --verify all\n"
      "  toktier-replay replay traces/ -m qwen3 --timed --rate 200 --slo p99:5ms\n"
      "  toktier-replay gen --sessions 100 --seed 7 -o made.jsonl.zst\n";
  program.define = [&](CLI::App& app) { replay_app::define_options(app, options); };
  program.run = [&](const cli::CommonOptions& common) {
    return replay_app::run(options, common, std::vector<std::string>(argv, argv + argc));
  };
  return cli::run_program(argc, argv, program);
}
