#include "apps/replay/options.hpp"

#include "apps/common/number_check.hpp"
#include "apps/common/signals.hpp"
#include "replay/mutation.hpp"
#include "replay/objective.hpp"
#include "replay/read.hpp"
#include "replay/verification.hpp"
#include "report/nearest_name.hpp"
#include "toktier/error.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace toktier::replay_app {
namespace {

void define_reading(CLI::App& app, Options& o) {
  const auto group = [](CLI::Option* option) { option->group("Transcripts"); };
  group(app.add_option("inputs", o.inputs.paths,
                       "Files, folders, quoted globs; - is standard input"));
  group(app.add_option("--files-from", o.inputs.files_from,
                       "Read further paths from this file, one a line"));
  group(app.add_flag("-0,--null", o.inputs.nul_separated, "Paths of --files-from end with NUL"));
  group(app.add_option("--input-format", o.input_format,
                       "Format of all files (see list); default: each file's content tells")
            ->capture_default_str());
  group(app.add_option("--join", o.join,
                       "Files that are calls of one session: auto makes them one session, never "
                       "leaves each alone")
            ->check(CLI::IsMember({"auto", "never"}))
            ->capture_default_str());
  group(app.add_option("--max-problems", o.max_problems,
                       "Show so many damaged records on standard error; all are counted")
            ->check(cli::whole_number(0, ~std::uint64_t{0}))
            ->capture_default_str());
  group(app.add_flag("--allow-empty", o.allow_empty, "Nothing to read is not an error"));
}

CLI::App* command(CLI::App& app, Options& o, const std::string& name, const std::string& what) {
  CLI::App* sub = app.add_subcommand(name, what);
  sub->callback([&o, name] { o.command = name; });
  return sub;
}

void define_render(CLI::App& app, Options& o) {
  CLI::App* render =
      command(app, o, "render", "Prompts by a chat template, as steps on the texts of sessions");
  define_reading(*render, o);
  const auto group = [](CLI::Option* option) { option->group("Prompts"); };
  group(render->add_option("--template", o.chat_template, "A built-in template (list) or a file")
            ->capture_default_str());
  group(render->add_option("--mutate", o.mutation, "What is done to prompts between calls (list)")
            ->capture_default_str());
  group(render
            ->add_option("--budget", o.budget,
                         "Bytes of texts above which a mutation takes something away")
            ->check(cli::whole_number(1, std::uint64_t{1} << 40))
            ->capture_default_str());
  group(render
            ->add_option("--emit", o.emit,
                         "steps (edits of texts) or prompts (the whole text at each call)")
            ->check(CLI::IsMember({"steps", "prompts"}))
            ->capture_default_str());
}

void define_replay_checks(CLI::App& replay, ReplayOptions& r) {
  const auto group = [](CLI::Option* option) { option->group("Verification"); };
  group(replay
            .add_option("--verify", r.verify,
                        "Which steps are compared with a cold encode of the whole text: none, "
                        "sample:SHARE, all, or within:BYTES (all up to that length, of longer "
                        "texts the share BYTES/length, and each session's last)")
            ->capture_default_str());
  group(replay.add_flag("--reference", r.reference,
                        "A share of the steps is asked of the reference engine too"));
  group(replay.add_option("--reference-share", r.reference_share, "Which share")
            ->check(CLI::Range(0.0, 1.0))
            ->capture_default_str());
  group(replay.add_option("--repro", r.repro,
                          "Folder for the steps of each difference, one file each"));
  group(replay
            .add_option("--plant", r.plant,
                        "A fault in every session, to see that it is found: keep (a patch keeps "
                        "one token too many), id, snapshot")
            ->check(CLI::IsMember({"keep", "id", "snapshot"})));
}

void define_timed(CLI::App& replay, TimedOptions& t) {
  const auto group = [](CLI::Option* option) { option->group("At planned times"); };
  group(replay.add_flag("--timed", t.on,
                        "Steps at planned times, whether or not those before have ended; latency "
                        "runs from the planned start"));
  group(replay
            .add_option("--arrival", t.arrival,
                        "poisson, uniform, or trace (the times of the transcripts); default: "
                        "poisson with a rate, else trace")
            ->check(CLI::IsMember({"poisson", "uniform", "trace"})));
  group(replay.add_option("--rate", t.rate, "Steps a second")->check(CLI::PositiveNumber));
  group(replay.add_option("--time-scale", t.time_scale, "Times of the transcripts divided by this")
            ->check(CLI::PositiveNumber)
            ->capture_default_str());
  group(replay
            .add_option("--duration", t.seconds,
                        "Seconds that are planned; default: 10, with trace all of it")
            ->check(CLI::PositiveNumber));
  group(replay.add_option("--warmup", t.warmup, "Seconds at the beginning that do not count")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str());
  group(replay.add_option("--open", t.open, "Sessions under way at once, with a rate")
            ->check(cli::whole_number(1, 1'000'000))
            ->capture_default_str());
  group(replay
            .add_option("--slo", t.objectives,
                        "What latencies should be, p99:5ms (also p50, p99.9, max; us, ms, s); "
                        "missed: exit code 1; may be repeated")
            ->allow_extra_args(false));
  group(replay.add_option("--sweep-rate", t.sweep,
                          "FROM:TO:STEP steps a second: the highest rate that meets --slo"));
}

void define_replay(CLI::App& app, Options& o) {
  CLI::App* replay = command(app, o, "replay", "Carry out transcripts on sessions, and verify ids");
  define_reading(*replay, o);
  ReplayOptions& r = o.replay;
  const auto group = [](CLI::Option* option) { option->group("Workload"); };
  group(replay
            ->add_option("-m,--model", r.models,
                         "Tokenizer: a file, a folder, a name in TOKTIER_MODELS, or "
                         "\"embedded\"; may be repeated")
            ->allow_extra_args(false)
            ->envname("TOKTIER_MODEL"));
  group(replay->add_option("--encoding", o.encoding,
                           "Rank files of several published encodings: which one"));
  group(replay->add_option("--template", o.chat_template, "A built-in template (list) or a file")
            ->capture_default_str());
  group(replay
            ->add_option("--mutate", r.mutations,
                         "What is done to prompts between calls (list), several or all; default: "
                         "recorded")
            ->delimiter(',')
            ->allow_extra_args(false));
  group(replay
            ->add_option("--budget", o.budget,
                         "Bytes of texts above which a mutation takes something away")
            ->check(cli::whole_number(1, std::uint64_t{1} << 40))
            ->capture_default_str());
  group(replay->add_flag("--steps", r.steps, "The files are steps, as render writes them"));
  group(replay
            ->add_option("--interface", r.interface,
                         "What sessions are given: delta (the change) or full (the whole text)")
            ->check(CLI::IsMember({"delta", "full"}))
            ->capture_default_str());
  group(replay
            ->add_option("--target", r.target,
                         "session, or whole: no state, every change encodes the whole text")
            ->check(CLI::IsMember({"session", "whole"}))
            ->capture_default_str());
  group(replay
            ->add_option("--special", r.special,
                         "Control tokens in texts: default (as a plain call of the reference), "
                         "none, all")
            ->check(CLI::IsMember({"default", "none", "all"}))
            ->capture_default_str());
  group(replay->add_flag("--add-special", r.add_special, "Add the tokens of the post-processor"));
  group(replay->add_flag("--ignore-missing", r.ignore_missing,
                         "A model that is missing or refused is a row, not an error"));
  replay->add_option("--html", r.html,
                     "A page with charts: one file, nothing outside it is needed");
  define_replay_checks(*replay, r);
  define_timed(*replay, r.timed);
}

void define_gen(CLI::App& app, Options& o) {
  CLI::App* gen = command(app, o, "gen", "Make sessions with sizes and times as real ones have");
  GenOptions& g = o.gen;
  gen->add_option("--sessions", g.sessions, "How many")
      ->check(cli::whole_number(1, 10'000'000))
      ->capture_default_str();
  gen->add_option("--append-median", g.append_median, "Characters that half of the appends have")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  gen->add_option("--append-p90", g.append_p90, "... and that nine tenths have")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  gen->add_option("--context-median", g.context_median, "Characters appended in half the sessions")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  gen->add_option("--context-p90", g.context_p90, "... and in nine tenths")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  gen->add_option("--context-max", g.context_max, "... and at most")
      ->check(cli::whole_number(1, 1'000'000'000))
      ->capture_default_str();
  gen->add_option("--cold", g.cold,
                  "Share of the calls with nothing of the call before in their context")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  gen->add_option("--starts", g.starts, "Sessions that begin in a second")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  gen->add_option("--text", g.texts, "Files to cut texts from; default: made text")
      ->allow_extra_args(false);
  gen->add_option("--like", g.like,
                  "Files of transcripts: sizes and the share of cold calls are theirs")
      ->allow_extra_args(false);
}

}  // namespace

std::vector<std::string> ReplayOptions::policies() const {
  std::vector<std::string> names;
  for (const std::string& name : mutations) {
    if (name != "all") {
      names.emplace_back(replay::find_mutation(name).name);
      continue;
    }
    for (const replay::MutationRow& row : replay::mutation_table()) names.emplace_back(row.name);
  }
  if (names.empty()) names.emplace_back("recorded");
  std::vector<std::string> once;
  for (std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(std::move(name));
  return once;
}

void define_options(CLI::App& app, Options& o) {
  app.require_subcommand(1);
  command(app, o, "list", "What there is: formats, templates, mutations")
      ->add_option("what", o.listed, "formats, templates or mutations")
      ->check(CLI::IsMember({"formats", "templates", "mutations"}))
      ->capture_default_str();
  CLI::App* check = command(app, o, "check", "What is in the files, and what could not be read");
  define_reading(*check, o);
  check->add_flag("--strict", o.strict, "A record of unknown kind makes the exit code 1");
  CLI::App* convert =
      command(app, o, "convert", "Write our own form (JSON lines; packed when -o ends in .zst)");
  define_reading(*convert, o);
  CLI::App* stats = command(app, o, "stats", "Sizes of appends and contexts, calls, roll-backs");
  define_reading(*stats, o);
  stats
      ->add_option("-m,--model", o.model,
                   "Count tokens too, by cold encode, with this tokenizer: a file, a folder, a "
                   "name in TOKTIER_MODELS, or \"embedded\"")
      ->envname("TOKTIER_MODEL");
  stats->add_option("--encoding", o.encoding,
                    "Rank files of several published encodings: which one");
  define_render(app, o);
  define_replay(app, o);
  define_gen(app, o);
}

namespace {

void check_timed(const ReplayOptions& r) {
  const TimedOptions& t = r.timed;
  const auto refuse = [](const char* why) { throw Error(ErrorCode::usage, why); };
  if (!t.on) {
    if (t.rate > 0 || !t.sweep.empty() || !t.objectives.empty() || !t.arrival.empty())
      refuse("--rate, --sweep-rate, --slo and --arrival are about --timed, which is not given");
    return;
  }
  for (const std::string& objective : t.objectives) (void)replay::parse_objective(objective);
  if (!t.sweep.empty()) {
    (void)replay::parse_rates(t.sweep);
    if (t.objectives.empty()) refuse("--sweep-rate looks for the rate that meets --slo: give one");
    if (t.rate > 0) refuse("--sweep-rate and --rate: one of them");
  }
  const bool rated = t.rate > 0 || !t.sweep.empty();
  if (rated && t.arrival == "trace") refuse("--arrival trace has times of its own: no rate");
  if (!rated && (t.arrival == "poisson" || t.arrival == "uniform"))
    refuse("--arrival poisson and uniform want a --rate");
  if (t.warmup > 0 && t.seconds > 0 && t.warmup >= t.seconds)
    refuse("--warmup leaves nothing of --duration");
  if (!r.html.empty()) refuse("--html: run it without --timed");
  if (r.reference) refuse("--reference: run it without --timed");
  if (r.interface == "full") refuse("--interface full: run it without --timed");
}

void check_replay(const Options& o) {
  if (o.replay.models.empty()) throw Error(ErrorCode::usage, "no tokenizer: give -m FILE");
  replay::parse_verification(o.replay.verify);
  (void)o.replay.policies();
  check_timed(o.replay);
  if (!o.replay.steps) return;
  if (!o.replay.mutations.empty())
    throw Error(ErrorCode::usage, "--mutate shapes prompts; --steps are what they were shaped to");
  if (o.input_format != "auto")
    throw Error(ErrorCode::usage, "--input-format is about transcripts, and these are steps");
}

}  // namespace

void check_options(const Options& o) {
  if (o.command == "list" || o.command == "gen") return;
  if (o.inputs.paths.empty() && !o.inputs.files_from)
    throw Error(ErrorCode::usage, "no files; name some, or - for standard input");
  if (o.inputs.nul_separated && !o.inputs.files_from)
    throw Error(ErrorCode::usage, "--null is about the list of --files-from, and there is none");
  if (o.command == "replay") check_replay(o);
  if (o.input_format == "auto") return;
  std::vector<std::string> known;
  for (const replay::FormatName& format : replay::format_names()) {
    if (format.name == o.input_format) return;
    known.emplace_back(format.name);
  }
  throw Error(ErrorCode::usage, report::unknown_name("format", o.input_format, known));
}

}  // namespace toktier::replay_app
