#pragma once
// Options from a file. Order: command line, then environment, then the file of --config, then the
// default. No file is ever read unasked.

#include <CLI/CLI.hpp>

#include <memory>
#include <set>
#include <string>

namespace toktier::cli {

/// --config FILE and --print-config. The form of the file is that of CLI11: "name = value" lines,
/// lists as [a, b], "# comments", a section "[run]" for the options of a command.
class ConfigFile {
 public:
  /// Adds the two options to `app`, which must have all its others and its commands.
  explicit ConfigFile(CLI::App& app);
  ~ConfigFile();
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;

  bool print_wanted() const { return print_; }
  /// After parsing: every option of the program and of the command in use as a file that says the
  /// same, with where each value came from. Options that have their default are comments.
  std::string text() const;

  class Reader;

 private:
  std::string source(const CLI::Option& option) const;
  void append_options(const CLI::App& part, std::string& out) const;

  CLI::App& app_;
  bool print_ = false;
  std::shared_ptr<std::set<const CLI::Option*>> from_file_;
};

/// The option's value came from the file of --config: a default of the user's own, which a command
/// that has no use for it passes over. `app` is the program itself. Valid after parsing, in
/// callbacks too.
bool from_config_file(const CLI::App& app, const CLI::Option& option);

}  // namespace toktier::cli
