#pragma once
// A reference engine in its own process, behind the Engine interface.
//
// A worker that dies or hangs is started again and counted; the documents it had are asked again,
// halved until the guilty one is alone and marked `died`. After too many deaths the engine is given
// up: Error{unavailable}. No call waits for ever.

#include "diff/engine.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace toktier::diff::external {

struct WorkerSettings {
  std::vector<std::string>
      command;  // program and arguments; the worker speaks frames on stdin and stdout
  std::string engine = "auto";  // hf, tiktoken, spm, auto
  std::string model;            // path of the tokenizer file
  unsigned threads = 1;
  std::chrono::milliseconds start_limit{120'000};
  /// For one request; a request holds at most a few MB of text.
  std::chrono::milliseconds request_limit{300'000};
  /// Deaths in a row (without a good answer in between) before the engine is given up.
  unsigned max_failures = 40;
  /// When not empty: sha256 the worker must report for the unpacked model file.
  std::string expected_sha256;
};

/// Starts the worker and says hello. Error{unavailable} when it cannot run (with what to do),
/// Error{unsupported} or Error{input} when the engine refuses the file.
std::unique_ptr<Engine> start_worker(const std::string& row, const WorkerSettings& settings);

/// Python and worker script: TOKTIER_REFERENCE_PYTHON and TOKTIER_REFERENCE_WORKER, else
/// scripts/reference/worker.py and .venv/bin/python in a folder above the program, the working
/// directory or TOKTIER_SOURCE_DIR. Error{unavailable} naming what was looked for.
std::vector<std::string> find_worker_command();

}  // namespace toktier::diff::external
