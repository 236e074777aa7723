#pragma once
// The command line of toktier-bench.

#include "apps/common/exit_code.hpp"
#include "io/inputs.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace toktier::bench {

struct Options {
  std::string command;  // encode, append, or worker (not shown in help)
  std::vector<std::string> models;
  std::vector<std::string> peers;
  std::vector<std::string> peer_files;  // NAME=PATH
  io::InputOptions inputs;
  bool each = false;
  unsigned samples = 5;
  unsigned passes = 3;
  unsigned threads = 1;
  std::string slice_bytes;  // as given; empty: the default of the command
  std::string first_call_bytes = "64KiB";
  std::string input_format = "auto";
  // append
  std::vector<std::uint64_t> contexts = {65'536, 1'000'000};  // characters
  std::vector<std::uint64_t> appends = {1'400};               // characters
  std::vector<std::string> interfaces = {"delta"};
  unsigned append_samples = 200;
  unsigned peer_samples = 1;
  bool ignore_missing = false;
  bool no_gate = false;
};

/// `options.command` is set to the sub-command.
void define_options(CLI::App& app, Options& options);

/// "4MB", "64KiB", "1000": bytes. Error{usage} naming the option.
std::uint64_t parse_bytes(const std::string& option, const std::string& text);
/// "FILE --models append ..." means "append FILE ...": the arguments with the workload in front.
std::vector<std::string> with_workload_first(std::vector<std::string> arguments);
/// What --slice-bytes is, given or by default.
std::string slice_bytes(const Options& options);
/// Error{usage} for values that have no meaning together.
void check_options(const Options& options);
/// What a peer that gave no times does to the exit code.
cli::ExitCode without_times(const Options& options, bool ids_differ);
/// The files of single peers.
std::map<std::string, std::string> peer_files(const Options& options);
io::InputOptions input_options(const Options& options);

}  // namespace toktier::bench
