#include "apps/replay/run.hpp"

#include "toktier/error.hpp"

namespace toktier::replay_app {

cli::ExitCode run(const Options& options, const cli::CommonOptions& common,
                  const std::vector<std::string>& command) {
  check_options(options);
  if (options.command == "list") return run_list(options, common);
  if (options.command == "check") return run_check(options, common);
  if (options.command == "convert") return run_convert(options, common);
  if (options.command == "render") return run_render(options, common);
  if (options.command == "gen") return run_gen(options, common);
  if (options.command == "replay") return run_replay(options, common, command);
  return run_stats(options, common);
}

}  // namespace toktier::replay_app
