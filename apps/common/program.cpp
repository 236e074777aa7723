#include "apps/common/program.hpp"

#include "apps/common/config.hpp"
#include "apps/common/number_check.hpp"
#include "apps/common/signals.hpp"
#include "report/nearest_name.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace toktier::cli {
namespace {

struct RawOptions {
  CommonOptions common;
  std::string format;
  std::string color = "auto";
  bool json = false;
};

void complain(const Program& program, std::string_view text) {
  fmt::print(stderr, "{}: {}\n", program.name, text);
}

void add_common_options(CLI::App& app, RawOptions& raw) {
  const auto group = [](CLI::Option* option) { option->group(kCommonGroup); };
  group(app.add_flag("-q,--quiet", raw.common.quiet, "Errors only on standard error"));
  group(app.add_flag("-v,--verbose", raw.common.verbosity,
                     "More on standard error; twice for still more"));
  group(app.add_option("--format", raw.format,
                       "table, jsonl or json; default: table on a terminal, jsonl in a pipe")
            ->check(CLI::IsMember({"table", "jsonl", "json"})));
  group(app.add_flag("--json", raw.json, "Short for --format jsonl"));
  group(app.add_option("-o,--output", raw.common.output,
                       "Write the records (JSON lines; packed when it ends in .zst) to this file, "
                       "whole or not at all"));
  group(app.add_option("--progress", raw.common.progress, "auto, always, never or file:PATH")
            ->envname("TOKTIER_PROGRESS")
            ->capture_default_str());
  group(app.add_option("--color", raw.color, "auto, always or never; NO_COLOR is obeyed")
            ->check(CLI::IsMember({"auto", "always", "never"}))
            ->capture_default_str());
  group(app.add_option("-j,--jobs", raw.common.jobs,
                       "Threads; default: the CPUs this process may use")
            ->envname("TOKTIER_JOBS")
            ->check(whole_number(1, 1024)));
  group(app.add_option("--seed", raw.common.seed,
                       "Seed of everything random; chosen and printed when absent")
            ->envname("TOKTIER_SEED")
            ->check(whole_number(0, ~std::uint64_t{0})));
}

void add_help(CLI::App& app, const std::string& name) {
  app.set_help_flag("-h", "Short help");
  app.set_help_all_flag("--help", "Long help, with examples and exit codes");
  for (CLI::App* sub : app.get_subcommands({})) {
    sub->fallthrough();
    add_help(*sub, name);
  }
}

/// All option and sub-command names, of the app and of the sub-commands in use.
std::vector<std::string> known_names(const CLI::App& app) {
  std::vector<std::string> names;
  const auto collect = [&](const CLI::App& part) {
    for (const CLI::Option* option : part.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  };
  collect(app);
  for (const CLI::App* sub : app.get_subcommands()) collect(*sub);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

std::string hint_for(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> known = known_names(app);
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word.starts_with("--")) word = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), word) != known.end() || word.size() < 3) continue;
    if (!word.starts_with("--") && i > 1) continue;  // a value, not a name
    const std::string near = report::nearest_name(word, known);
    if (!near.empty()) return fmt::format("; did you mean '{}' for '{}'?", near, word);
  }
  return {};
}

bool wants_json(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

/// True when the command line was help or version, which is now printed.
bool settle(CLI::App& app, int argc, char** argv, const Program& program, RawOptions& raw,
            const ConfigFile& config, ExitCode* code) {
  try {
    app.parse(argc, argv);
    if (!config.print_wanted()) return false;
    fmt::print("{}", config.text());
    *code = ExitCode::ok;
  } catch (const CLI::CallForAllHelp&) {
    std::string footer = program.examples.empty() ? "" : "Examples:\n" + program.examples + "\n";
    app.footer("\n" + footer + exit_code_help());
    fmt::print("{}", app.help("", CLI::AppFormatMode::All));
    *code = ExitCode::ok;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    *code = ExitCode::ok;
  } catch (const CLI::CallForVersion&) {
    fmt::print("{}", version_text(program.name, wants_json(argc, argv)));
    *code = ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    complain(program, std::string(error.what()) + hint_for(app, argc, argv));
    if (!raw.common.quiet) complain(program, "try --help");
    *code = ExitCode::usage;
  }
  return true;
}

void finish_options(const CLI::App& app, RawOptions& raw) {
  CommonOptions& common = raw.common;
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  const std::string format = !raw.format.empty()     ? raw.format
                             : raw.json || !terminal ? "jsonl"
                                                     : "table";
  common.format = format == "table"  ? Format::table
                  : format == "json" ? Format::json
                                     : Format::jsonl;
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  common.color = raw.color == "always" || (raw.color == "auto" && terminal && !refused);
  const CLI::Option* jobs = app.get_option("--jobs");
  if (jobs->count() == 0) common.jobs = allowed_cpus();
  common.seed_given = app.get_option("--seed")->count() > 0;
  if (!common.seed_given) common.seed = std::random_device{}();
}

}  // namespace

unsigned allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

int run_program(int argc, char** argv, const Program& program) {
  install_signals();
  ExitCode code = ExitCode::internal;
  try {
    CLI::App app{program.what, program.name};
    RawOptions raw;
    program.define(app);
    add_common_options(app, raw);
    app.set_version_flag(
        "--version", [] { return std::string(); }, "Versions; with --json as one object");
    add_help(app, program.name);
    const ConfigFile config(app);
    if (!settle(app, argc, argv, program, raw, config, &code)) {
      finish_options(app, raw);
      code = program.run(raw.common);
    }
    // Text of help and version sits in stdio's buffer until here.
    std::fflush(stdout);
  } catch (const Error& error) {
    complain(program, error.what());
    code = exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    complain(program, "not enough memory");
    code = ExitCode::internal;
  } catch (const std::exception& error) {
    complain(program, fmt::format("internal error: {}", error.what()));
    code = ExitCode::internal;
  }
  return static_cast<int>(code);
}

}  // namespace toktier::cli
