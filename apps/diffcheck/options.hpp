#pragma once
// The command line of toktier-diffcheck, as values.

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace toktier::diffcheck {

struct RunOptions {
  std::vector<std::string> models;
  std::string models_all;  // folder
  std::string engine = "cpu";
  std::vector<std::string> against;  // empty: auto (or the quoted ids, with --vectors)
  std::string checks = "ids,spans";

  // Where documents come from.
  std::vector<std::string> inputs, texts, generators, cases;
  std::string vectors;
  bool exhaustive = false;
  std::size_t length = 3;
  std::string alphabet;
  std::string input_format = "auto";
  std::string field = "/text";
  std::string id_field = "/id";

  // How they are encoded.
  std::string special = "default";
  bool add_special = false;
  bool truncate = false;

  // How the run goes.
  std::string answers;  // folder of stored reference answers
  std::uint64_t max_divergences = 1000;
  std::size_t describe = 3;
  std::size_t shrink_steps = 400;
  unsigned rounds = 1;
  double oracle_timeout = 300;
  bool no_gate = false;
  bool allow_empty = false;
  bool ignore_missing = false;
};

struct GateOptions {
  std::string before, after;  // tokenizer files
  RunOptions run;             // documents and conduct
  double max_changed = 0;     // percent of documents
  double max_drift = -1;      // percent of tokens, of all documents together; negative: not gated
  std::string junit;          // file
};

struct VerifyOptions {
  std::string model;
  bool full = false;
  RunOptions run;  // answers, special, oracle_timeout; the rest is set by verify
};

struct PlanOptions {
  RunOptions run;  // what a unit compares, and over which documents
  std::uint64_t shards = 1;
  std::uint64_t unit_kib = 32 * 1024;  // of text
};

/// run --plan.
struct ShardOptions {
  std::string plan;   // file; empty: no shard of a plan
  std::string shard;  // "i", "i/N", "auto", "auto/N"; empty: the only one
  std::string out;    // folder of the run
  bool resume = false;
};

struct MergeOptions {
  std::string run;                  // folder
  std::uint64_t expect_shards = 0;  // 0: as many as the shards say
  bool no_gate = false;
  bool allow_empty = false;
};

struct ReportOptions {
  std::string run;  // folder of a merged run
  std::string format = "html";
};

struct CompareOptions {
  std::string before, after;  // folders of merged runs
  bool allow_less = false;
};

/// show, repro, shrink.
struct DivergenceOptions {
  std::string file;  // one record, or lines of them
  std::string id;    // empty: all
  std::size_t steps = 4000;
  double oracle_timeout = 300;
};

struct ListOptions {
  std::string what;
};

/// What the program was told; `chosen` is the sub-command's name.
struct Options {
  std::string chosen;
  RunOptions run;
  GateOptions gate;
  VerifyOptions verify;
  PlanOptions plan;
  ShardOptions shard;
  MergeOptions merge;
  ReportOptions report;
  CompareOptions compare;
  DivergenceOptions divergence;
  ListOptions list;
};

/// Adds the sub-commands.
void define_options(CLI::App& app, Options& options);

}  // namespace toktier::diffcheck
