#pragma once
// The command line of toktier-replay, as values.

#include "io/inputs.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace toktier::replay_app {

struct TimedOptions {
  bool on = false;
  std::string arrival;  // empty: poisson, or trace when there is no rate
  double rate = 0;      // steps a second
  double time_scale = 1;
  double seconds = 0;  // 0: 10, or all of the trace
  double warmup = 0;
  std::uint64_t open = 64;
  std::vector<std::string> objectives;
  std::string sweep;
};

struct ReplayOptions {
  std::vector<std::string> models;
  std::vector<std::string> mutations;  // none: recorded
  bool steps = false;                  // the inputs are steps
  std::string verify = "all";
  bool reference = false;
  double reference_share = 0.01;
  std::string interface = "delta";
  std::string target = "session";
  std::string special = "default";
  bool add_special = false;
  bool ignore_missing = false;
  std::string repro;  // folder
  std::string plant;  // a fault
  std::string html;   // file
  TimedOptions timed;
  /// Names, "all" spelt out.
  std::vector<std::string> policies() const;
};

struct GenOptions {
  std::uint64_t sessions = 100;
  double append_median = 1400, append_p90 = 11000;           // characters
  double context_median = 150'000, context_p90 = 1'500'000;  // characters
  std::uint64_t context_max = 8'000'000;
  double cold = 0.02;   // share of the calls
  double starts = 0.2;  // sessions a second
  std::vector<std::string> texts;
  std::vector<std::string> like;
};

struct Options {
  std::string command;  // list, check, convert, stats, render, replay, gen
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

  ReplayOptions replay;
  GenOptions gen;
};

void define_options(CLI::App& app, Options& options);
/// Error{usage} for values that the parser cannot judge.
void check_options(const Options& options);

}  // namespace toktier::replay_app
