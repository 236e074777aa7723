#pragma once
// The command line of toktier-replay, as values.

#include "io/inputs.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace toktier::replay_app {

struct Options {
  std::string command;  // list, check, convert, stats, render
  std::string listed = "formats";

  // What is read, and how.
  io::InputOptions inputs;
  std::string input_format = "auto";  // name of a transcript format
  std::string join = "auto";
  std::uint64_t max_problems = 20;
  bool allow_empty = false;

  bool strict = false;  // check

  // render
  std::string chat_template = "chatml";
  std::string mutation = "recorded";
  std::uint64_t budget = 65536;
  std::string emit = "steps";

  std::string model;     // stats: tokens too
  std::string encoding;  // --encoding, of rank files
};

void define_options(CLI::App& app, Options& options);
/// Error{usage} for values that the parser cannot judge.
void check_options(const Options& options);

}  // namespace toktier::replay_app
