#pragma once
// The frame of every program: common options, help, version, errors to exit codes.

#include "apps/common/exit_code.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace toktier::cli {

/// The group of the options that all programs share, in help texts.
inline constexpr const char* kCommonGroup = "Common options";

enum class Format { table, jsonl, json };

/// Options that all programs share; filled by run_program() before run() is called.
struct CommonOptions {
  bool quiet = false;
  int verbosity = 0;  // -v = 1, -vv = 2
  Format format = Format::table;
  std::string progress = "auto";
  bool color = false;  // colours are wanted on standard output
  unsigned jobs = 1;   // -j, default: the CPUs this process may use
  std::uint64_t seed = 0;
  bool seed_given = false;
  std::string output;  // -o; empty = none
};

struct Program {
  std::string name;
  std::string what;      // one or two sentences
  std::string examples;  // shown by --help
  /// Adds the program's own options and sub-commands.
  std::function<void(CLI::App&)> define;
  std::function<ExitCode(const CommonOptions&)> run;
};

/// Never throws. Messages go to standard error as "NAME: text".
int run_program(int argc, char** argv, const Program& program);

/// The version text; one JSON object with `json`.
std::string version_text(const std::string& name, bool json);
/// Version and commit, for records.
std::string version();
std::string commit();

/// CPUs this process may run on.
unsigned allowed_cpus();

}  // namespace toktier::cli
