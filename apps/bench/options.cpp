#include "apps/bench/options.hpp"

#include "apps/bench/contestant.hpp"
#include "apps/common/number_check.hpp"
#include "apps/common/signals.hpp"
#include "report/nearest_name.hpp"
#include "toktier/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace toktier::bench {
namespace {

void check_peer_name(const std::string& name) {
  const std::vector<std::string>& known = peer_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw Error(ErrorCode::usage, report::unknown_name("peer", name, known));
  }
}

void define_contestants(CLI::App& encode, Options& o) {
  const auto group = [](CLI::Option* option) { option->group("Contestants"); };
  group(encode
            .add_option("-m,--model", o.models,
                        "Tokenizer: a file, a folder, a name in TOKTIER_MODELS, or \"embedded\"; "
                        "may be repeated")
            ->allow_extra_args(false)
            ->required());
  group(encode
            .add_option("--peers", o.peers,
                        "Engines measured beside ours: hf, tiktoken, spm, gigatoken, fastokens "
                        "(scripts/setup --peers installs them)")
            ->delimiter(',')
            ->allow_extra_args(false));
  group(encode
            .add_option("--peer-file", o.peer_files,
                        "PEER=FILE: this peer reads another file of the same tokenizer; its ids "
                        "have to be equal all the same")
            ->allow_extra_args(false));
  group(encode.add_option("--threads", o.threads, "Threads of each contestant; only 1 so far")
            ->check(cli::whole_number(1, 1))
            ->capture_default_str());
}

void define_texts(CLI::App& encode, Options& o, const std::string& slice_bytes) {
  const auto group = [](CLI::Option* option) { option->group("Texts"); };
  group(encode.add_option("inputs", o.inputs.paths,
                          "Files, folders (-r), quoted globs; - is standard input"));
  group(encode.add_flag("-r,--recursive", o.inputs.recursive, "Go into folders"));
  group(encode.add_flag("--each", o.each,
                        "Each input is a text of its own, with a table of its own; default: all "
                        "inputs are one text"));
  group(encode
            .add_option_function<std::string>(
                "--slice-bytes", [&o](const std::string& value) { o.slice_bytes = value; },
                "Documents are taken in order until a text has so many bytes; 0: all")
            ->default_str(slice_bytes));
  group(encode.add_option("--input-format", o.input_format, "auto, text, lines or jsonl")
            ->check(CLI::IsMember({"auto", "text", "lines", "jsonl"}))
            ->capture_default_str());
  group(encode
            .add_option("--field", o.inputs.records.text_pointer,
                        "JSON pointer to the text of a record")
            ->capture_default_str());
  group(encode
            .add_option("--id-field", o.inputs.records.id_pointer,
                        "JSON pointer to the id of a record")
            ->capture_default_str());
}

void define_gates(CLI::App& command, Options& o) {
  const auto group = [](CLI::Option* option) { option->group("Conduct"); };
  group(command.add_flag("--ignore-missing", o.ignore_missing,
                         "A peer that is missing or refuses the file is a row, not an error"));
  group(command.add_flag("--no-gate", o.no_gate, "Differing ids do not make the exit code 1"));
}

void define_conduct(CLI::App& encode, Options& o) {
  const auto group = [](CLI::Option* option) { option->group("Conduct"); };
  group(encode
            .add_option("--samples", o.samples,
                        "Fresh processes of each contestant, interleaved; each gives a first pass")
            ->check(cli::whole_number(1, 1000))
            ->capture_default_str());
  group(encode
            .add_option("--passes", o.passes,
                        "Later passes over the same text in each process; 0: none")
            ->check(cli::whole_number(0, 1000))
            ->capture_default_str());
  group(encode
            .add_option("--first-call", o.first_call_bytes,
                        "Bytes of the text that a whole fresh process is timed on; 0: do not")
            ->capture_default_str());
  define_gates(encode, o);
}

void define_appends(CLI::App& append, Options& o) {
  const auto group = [](CLI::Option* option) { option->group("Conduct"); };
  const auto list = [&](CLI::Option* option) {
    option->delimiter(',')->allow_extra_args(false)->capture_default_str();
    group(option);
  };
  list(append
           .add_option("--context", o.contexts,
                       "Characters that stand before the append; several by commas")
           ->check(cli::whole_number(0, 1'000'000'000)));
  list(append.add_option("--append", o.appends, "Characters appended; several by commas")
           ->check(cli::whole_number(1, 1'000'000'000)));
  list(append
           .add_option("--interface", o.interfaces,
                       "delta: the session is given the new part; full: the whole text again")
           ->check(CLI::IsMember({"delta", "full"})));
  group(append.add_option("--samples", o.append_samples, "Appends timed for each record")
            ->check(cli::whole_number(1, 1'000'000))
            ->capture_default_str());
  group(append
            .add_option("--peer-samples", o.peer_samples,
                        "Encodes of the whole text by each peer, for each record")
            ->check(cli::whole_number(1, 1000))
            ->capture_default_str());
  define_gates(append, o);
}

}  // namespace

void define_options(CLI::App& app, Options& o) {
  app.require_subcommand(1);
  CLI::App* encode = app.add_subcommand(
      "encode", "Text to ids, one thread: ours and peers, ids compared before anything is timed");
  define_contestants(*encode, o);
  define_texts(*encode, o, "4MB");
  define_conduct(*encode, o);
  encode->callback([&o] { o.command = "encode"; });
  CLI::App* append = app.add_subcommand(
      "append",
      "A session in the place of an agent: a short text appended to a long one, again and again; "
      "every sample verified by a cold encode. Peers encode the whole text.");
  define_contestants(*append, o);
  define_texts(*append, o, "0");
  define_appends(*append, o);
  append->callback([&o] { o.command = "append"; });
  CLI::App* worker = app.add_subcommand("worker", "");
  worker->group("");  // the other side of a measurement, not for people
  worker->callback([&o] { o.command = "worker"; });
}

std::vector<std::string> with_workload_first(std::vector<std::string> arguments) {
  constexpr std::string_view kOption = "--models";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string workload;
    std::size_t taken = 1;
    if (arguments[i] == kOption && i + 1 < arguments.size()) {
      workload = arguments[i + 1];
      taken = 2;
    } else if (arguments[i].starts_with(std::string(kOption) + '=')) {
      workload = arguments[i].substr(kOption.size() + 1);
    } else {
      continue;
    }
    if (workload != "append" && workload != "encode") {
      static const std::vector<std::string> kKnown = {"append", "encode"};
      throw Error(ErrorCode::usage, report::unknown_name("workload", workload, kKnown));
    }
    const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    arguments.erase(at, at + static_cast<std::ptrdiff_t>(taken));
    arguments.insert(arguments.begin(), workload);
    return arguments;
  }
  return arguments;
}

std::uint64_t parse_bytes(const std::string& option, const std::string& text) {
  static const std::map<std::string_view, std::uint64_t> kUnits = {
      {"", 1},           {"B", 1},          {"KB", 1'000},     {"kB", 1'000},
      {"MB", 1'000'000}, {"KiB", 1U << 10}, {"MiB", 1U << 20}, {"GB", 1'000'000'000},
      {"GiB", 1U << 30}};
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const auto unit = kUnits.find(std::string_view(stop, static_cast<std::size_t>(end - stop)));
  if (text.empty() || error != std::errc() || unit == kUnits.end() ||
      number > (std::uint64_t{1} << 30)) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: '{}' is not a number of bytes, as 4MB or 64KiB", option, text));
  }
  return number * unit->second;
}

std::string slice_bytes(const Options& o) {
  if (!o.slice_bytes.empty()) return o.slice_bytes;
  return o.command == "append" ? "0" : "4MB";
}

void check_options(const Options& o) {
  for (const std::string& name : o.peers) check_peer_name(name);
  for (std::size_t i = 0; i < o.peers.size(); ++i) {
    if (std::find(o.peers.begin(), o.peers.begin() + static_cast<std::ptrdiff_t>(i), o.peers[i]) !=
        o.peers.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw Error(ErrorCode::usage, fmt::format("--peers names {} twice", o.peers[i]));
    }
  }
  if (!o.peer_files.empty() && o.models.size() > 1) {
    throw Error(ErrorCode::usage, "--peer-file is about one tokenizer, and several are given");
  }
  peer_files(o);
  parse_bytes("--slice-bytes", slice_bytes(o));
  parse_bytes("--first-call", o.first_call_bytes);
}

cli::ExitCode without_times(const Options& o, bool ids_differ) {
  if (ids_differ) return o.no_gate ? cli::ExitCode::ok : cli::ExitCode::divergence;
  return o.ignore_missing ? cli::ExitCode::ok : cli::ExitCode::unavailable;
}

std::map<std::string, std::string> peer_files(const Options& o) {
  std::map<std::string, std::string> files;
  for (const std::string& entry : o.peer_files) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      throw Error(ErrorCode::usage, fmt::format("--peer-file '{}' is not PEER=FILE", entry));
    }
    const std::string name = entry.substr(0, equals);
    check_peer_name(name);
    if (std::find(o.peers.begin(), o.peers.end(), name) == o.peers.end()) {
      throw Error(ErrorCode::usage, fmt::format("--peer-file: {} is not among --peers", name));
    }
    files[name] = entry.substr(equals + 1);
  }
  return files;
}

io::InputOptions input_options(const Options& o) {
  io::InputOptions inputs = o.inputs;
  inputs.records.form = o.input_format == "text"    ? io::RecordForm::text
                        : o.input_format == "lines" ? io::RecordForm::lines
                        : o.input_format == "jsonl" ? io::RecordForm::jsonl
                                                    : io::RecordForm::automatic;
  inputs.stop = cli::stop_descriptor();
  if (inputs.paths.empty()) inputs.paths.emplace_back("-");
  return inputs;
}

}  // namespace toktier::bench
