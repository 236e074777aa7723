#include "apps/encode/options.hpp"

#include "apps/common/config.hpp"
#include "apps/common/number_check.hpp"
#include "apps/common/program.hpp"
#include "apps/common/signals.hpp"
#include "report/nearest_name.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace toktier::encode_app {
namespace {

void define_model(CLI::App& app, Options& o) {
  app.add_option("-m,--model", o.model,
                 "Tokenizer: a file, a folder, a name in TOKTIER_MODELS, or \"embedded\" (GPT-2)")
      ->envname("TOKTIER_MODEL")
      ->required();
}

void define_open_points(CLI::App& app, Options& o) {
  app.add_option("--encoding", o.encoding,
                 "Rank files of several published encodings: which one (p50k_edit, o200k_harmony)");
  app.add_option("--lowercase", o.lowercase, "vocab.txt: fold case: auto, yes or no")
      ->capture_default_str();
}

void define_inputs(CLI::App& app, Options& o) {
  app.add_option("inputs", o.inputs.paths,
                 "Files, folders (-r), quoted globs; - is standard input");
  app.add_flag("-r,--recursive", o.inputs.recursive, "Go into folders");
  app.add_option("--files-from", o.inputs.files_from,
                 "Read further paths from this file, one a line");
  app.add_flag("-0,--null", o.inputs.nul_separated, "Paths of --files-from end with NUL");
  app.add_flag("--fail-fast", o.fail_fast,
               "End at the first input that is missing, damaged or refused; default: go on");
}

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) names.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

template <std::size_t N>
std::size_t choose(const std::string& option, const std::string& value,
                   const std::array<const char*, N>& names) {
  for (std::size_t i = 0; i < N; ++i)
    if (value == names[i]) return i;
  const std::string near =
      report::nearest_name(value, std::vector<std::string>(names.begin(), names.end()));
  throw Error(ErrorCode::usage,
              fmt::format("{} '{}' is not known{}", option, value,
                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

/// Given for this run, not a default of the user's file.
bool asked(const CLI::App& app, const CLI::Option& option) {
  return option.count() > 0 && !cli::from_config_file(app, option);
}

/// The options of encoding stand on the program itself, so a command would take them in silence.
void refuse_foreign_options(const CLI::App& app, const std::string& command) {
  if (command.empty()) return;
  const CLI::App* sub = app.get_subcommand(command);
  for (const CLI::Option* option : app.get_options()) {
    if (!asked(app, *option) || option->get_group() == cli::kCommonGroup) continue;
    if (option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (sub->get_option_no_throw(name) == nullptr) {
      throw Error(ErrorCode::usage, fmt::format("{} is not an option of {}", name, command));
    }
  }
}

void define_session(CLI::App& app, Options& o) {
  CLI::App* session = app.add_subcommand(
      "session", "Documents kept in a file between calls: append, update, show, list, drop");
  session->add_option("action", o.action, "append, update (to a whole text), show, list or drop")
      ->required();
  session->add_option("inputs", o.inputs.paths,
                      "append, update: files, one after the other; none: standard input");
  session->add_option("--store", o.store, "The file; made when it is not there")->required();
  session->add_option("--name", o.name, "Of the session");
  session
      ->add_option("-m,--model", o.model,
                   "Tokenizer: a file, a folder, a name in TOKTIER_MODELS, or \"embedded\"")
      ->envname("TOKTIER_MODEL");
  define_open_points(*session, o);
  session->add_option("--text", o.text, "append, update: this text instead of files");
  session
      ->add_option("--special", o.special,
                   "Added tokens recognised in text: default, none, all, or a list of their texts")
      ->capture_default_str();
  session->add_flag("--add-special", o.add_special,
                    "Put the post-processor's tokens (BOS, [CLS], ...) around the document");
  session
      ->add_option("--budget", o.budget,
                   "Most bytes that the store may hold; the least recently used go")
      ->check(cli::whole_number(0, std::uint64_t{1} << 40))
      ->capture_default_str();
  session->callback([session, &o] {
    o.command = "session";
    o.has_session_text = session->get_option("--text")->count() > 0;
  });
}

}  // namespace

void define_options(CLI::App& app, Options& o) {
  app.require_subcommand(0, 1);
  CLI::App* inspect =
      app.add_subcommand("inspect", "What a tokenizer file is and which engine runs it");
  define_model(*inspect, o);
  define_open_points(*inspect, o);
  inspect->callback([&o] { o.command = "inspect"; });

  CLI::App* decode = app.add_subcommand(
      "decode", "Ids back to text: JSON lines with \"ids\", or plain lists of ids");
  define_model(*decode, o);
  define_open_points(*decode, o);
  define_inputs(*decode, o);
  decode->add_flag("--skip-special", o.skip_special, "Leave out special tokens");
  decode->callback([&o] { o.command = "decode"; });

  CLI::App* check = app.add_subcommand(
      "check-ids", "Are ids what their own text is encoded as; where do the two part first");
  define_model(*check, o);
  define_open_points(*check, o);
  define_inputs(*check, o);
  check
      ->add_option("--special", o.special,
                   "Added tokens recognised in the text: default (all; none for .model files), "
                   "none, all, or a list of their texts")
      ->capture_default_str();
  check->add_flag("--add-special", o.add_special,
                  "The ids have the post-processor's tokens (BOS, [CLS], ...) around them");
  check->add_flag("--by-neighbours", o.by_neighbours,
                  "Byte-level BPE: decide two tokens at a time instead of by encoding");
  check->callback([&o] { o.command = "check-ids"; });

  define_session(app, o);

  app.add_option("-m,--model", o.model,
                 "Tokenizer: a file, a folder, a name in TOKTIER_MODELS, or \"embedded\"")
      ->envname("TOKTIER_MODEL");
  define_open_points(app, o);
  define_inputs(app, o);
  app.add_option("--text", o.text, "Encode this text instead of files");
  app.callback([&app, &o] {
    o.has_text = app.get_option("--text")->count() > 0;
    o.has_emit = asked(app, *app.get_option("--emit"));
    o.has_span_unit = asked(app, *app.get_option("--span-unit"));
    refuse_foreign_options(app, o.command);
  });
  app.add_option("--emit", o.emit, "What each record carries: ids,count,spans,pieces,tokens,hash")
      ->capture_default_str();
  app.add_option("--span-unit", o.span_unit, "Unit of spans and pieces: byte or codepoint")
      ->capture_default_str();
  app.add_option("--special", o.special,
                 "Added tokens recognised in text: default (as a plain call of the reference), "
                 "none, all, or a list "
                 "of their texts")
      ->capture_default_str();
  app.add_flag("--add-special", o.add_special, "Add the post-processor's tokens (BOS, [CLS], ...)");
  app.add_flag("--no-truncation", o.no_truncation, "Ignore the file's truncation and padding");
  app.add_option(
         "--invalid", o.invalid,
         "Bytes that are not UTF-8: error, skip (the document), replace, or raw (rank files)")
      ->capture_default_str();
  app.add_option("--input-format", o.input_format,
                 "Records in the input: auto, text, lines or jsonl")
      ->capture_default_str();
  app.add_option("--field", o.inputs.records.text_pointer, "JSON pointer to the text of a record")
      ->capture_default_str();
  app.add_option("--id-field", o.inputs.records.id_pointer, "JSON pointer to the id of a record")
      ->capture_default_str();
  app.add_option("--bin", o.binary,
                 "Write ids as raw little-endian numbers instead of records: u32 or u16");
  app.add_option("--cache", o.cache_bytes, "Bytes of piece cache per thread; 0 switches it off")
      ->check(cli::whole_number(0, std::uint64_t{1} << 40))
      ->capture_default_str();
  app.add_flag("--stats", o.stats, "Times, rates and memory on standard error at the end");
}

void check_encode_options(const Options& o) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::usage, message); };
  const Emit emit = parse_emit(o.emit);
  if (o.span_unit != "byte" && o.span_unit != "codepoint")
    refuse(fmt::format("--span-unit '{}' is not byte or codepoint", o.span_unit));
  if (o.has_span_unit && !emit.spans && !emit.pieces)
    refuse(fmt::format("--span-unit {} has no meaning for --emit {}; add spans or pieces",
                       o.span_unit, o.emit));
  if (!o.binary.empty() && o.binary != "u32" && o.binary != "u16")
    refuse(fmt::format("--bin '{}' is not u32 or u16", o.binary));
  if (!o.binary.empty() && o.has_emit && o.emit != "ids")
    refuse(fmt::format("--bin {} writes ids alone; drop --emit {}", o.binary, o.emit));
  if (o.has_text && !o.inputs.paths.empty())
    refuse(fmt::format("--text is the only input; drop '{}'", o.inputs.paths.front()));
  if (o.has_text && o.inputs.files_from)
    refuse(fmt::format("--text is the only input; drop --files-from '{}'", *o.inputs.files_from));
  if (o.inputs.nul_separated && !o.inputs.files_from)
    refuse("--null is about the list of --files-from, and there is none");
}

void check_session_options(const Options& o) {
  static constexpr std::array<const char*, 5> kActions = {"append", "update", "show", "list",
                                                          "drop"};
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::usage, message); };
  const std::size_t action = choose("the action", o.action, kActions);
  const bool changes = action < 2;
  if (action != 3 && o.name.empty()) refuse(fmt::format("session {} needs --name", o.action));
  if (action < 3 && o.model.empty())
    refuse(fmt::format("session {} needs a tokenizer: --model", o.action));
  if (!changes && (o.has_session_text || !o.inputs.paths.empty()))
    refuse(fmt::format("session {} takes no text", o.action));
  if (o.has_session_text && !o.inputs.paths.empty())
    refuse(fmt::format("--text is the only input; drop '{}'", o.inputs.paths.front()));
}

void check_format(cli::Format format) {
  if (format == cli::Format::json)
    throw Error(ErrorCode::usage, "--format json: documents are records of their own; use jsonl");
}

Emit parse_emit(const std::string& list) {
  static constexpr std::array<const char*, 6> kNames = {"ids",    "count",  "spans",
                                                        "pieces", "tokens", "hash"};
  Emit emit;
  bool* const flags[] = {&emit.ids,    &emit.count,  &emit.spans,
                         &emit.pieces, &emit.tokens, &emit.hash};
  for (const std::string& name : split_list(list)) *flags[choose("--emit", name, kNames)] = true;
  if (split_list(list).empty()) throw Error(ErrorCode::usage, "--emit names nothing");
  return emit;
}

LoadOptions load_options(const Options& o) {
  static constexpr std::array<const char*, 3> kChoices = {"auto", "yes", "no"};
  LoadOptions options;
  options.encoding = o.encoding;
  const std::size_t choice = choose("--lowercase", o.lowercase, kChoices);
  if (choice > 0) options.lowercase = choice == 1;
  return options;
}

EncodeOptions encode_options(const Options& o, const Emit& emit) {
  EncodeOptions options;
  if (o.special == "default") {
    options.special = SpecialMode::file_default;
  } else if (o.special == "none") {
    options.special = SpecialMode::none;
  } else if (o.special == "all") {
    options.special = SpecialMode::all;
  } else {
    options.special = SpecialMode::list;
    options.special_list = split_list(o.special);
  }
  static constexpr std::array<const char*, 4> kInvalid = {"error", "skip", "replace", "raw"};
  switch (choose("--invalid", o.invalid, kInvalid)) {
    case 2:
      options.invalid = InvalidUtf8::replace;
      break;
    case 3:
      options.invalid = InvalidUtf8::raw;
      break;
    default:
      options.invalid = InvalidUtf8::error;
      break;
  }
  options.add_special = o.add_special;
  options.truncate = !o.no_truncation;
  options.want_spans = emit.spans;
  options.want_pieces = emit.pieces;
  return options;
}

io::InputOptions input_options(const Options& o) {
  static constexpr std::array<const char*, 4> kForms = {"auto", "text", "lines", "jsonl"};
  static constexpr io::RecordForm kValues[] = {io::RecordForm::automatic, io::RecordForm::text,
                                               io::RecordForm::lines, io::RecordForm::jsonl};
  io::InputOptions inputs = o.inputs;
  inputs.records.form = kValues[choose("--input-format", o.input_format, kForms)];
  if (o.invalid == "replace") inputs.records.ill_formed = io::IllFormed::replace;
  if (o.invalid == "skip") inputs.records.ill_formed = io::IllFormed::mark;
  inputs.stop = cli::stop_descriptor();
  if (inputs.paths.empty() && !inputs.files_from) inputs.paths.emplace_back("-");
  return inputs;
}

}  // namespace toktier::encode_app
