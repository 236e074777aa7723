// run --plan: the units of one shard, one after the other, each recorded as it ends.

#include "apps/common/output.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "apps/diffcheck/campaign.hpp"
#include "apps/diffcheck/records.hpp"
#include "apps/diffcheck/run.hpp"
#include "apps/diffcheck/shard_journal.hpp"
#include "diff/check_table.hpp"
#include "diff/shards/shard_folder.hpp"
#include "diff/shards/slice_source.hpp"
#include "io/read_all.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <set>

namespace toktier::diffcheck {
namespace {

using cli::ExitCode;
namespace shards = diff::shards;

struct ShardChoice {
  std::uint64_t shard = 0, shards = 1;
};

std::uint64_t whole(std::string_view text, const std::string& what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw Error(ErrorCode::usage, fmt::format("{}: '{}' is not a whole number", what, text));
  return value;
}

/// From "i", "i/N", "auto", "auto/N". The size of a scheduler's array says nothing about N: a part
/// of it may be run again.
ShardChoice parse_shard(const std::string& text, std::uint64_t planned) {
  ShardChoice choice;
  choice.shards = planned;
  if (text.empty()) {
    choice.shards = 1;
    return choice;
  }
  const std::size_t slash = text.find('/');
  const std::string index = text.substr(0, slash);
  if (slash != std::string::npos) choice.shards = whole(text.substr(slash + 1), "--shard");
  if (index == "auto") {
    const char *slurm = std::getenv("SLURM_ARRAY_TASK_ID"),
               *indexed = std::getenv("JOB_COMPLETION_INDEX");
    if (slurm == nullptr && indexed == nullptr)
      throw Error(ErrorCode::usage,
                  "--shard auto: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set");
    choice.shard = slurm != nullptr ? whole(slurm, "SLURM_ARRAY_TASK_ID")
                                    : whole(indexed, "JOB_COMPLETION_INDEX");
  } else {
    choice.shard = whole(index, "--shard");
  }
  if (choice.shards > 99'999 || choice.shard >= choice.shards) {
    throw Error(ErrorCode::usage, fmt::format("--shard {}: shards are 0 to {}", choice.shard,
                                              choice.shards == 0 ? 0 : choice.shards - 1));
  }
  return choice;
}

class ShardRun {
 public:
  ShardRun(const shards::Plan& plan, const RunOptions& options, const cli::CommonOptions& common,
           ShardJournal& journal)
      : plan_(plan),
        options_(options),
        common_(common),
        journal_(journal),
        progress_(common.progress, common.quiet) {
    facts_.id = "plan-" + plan.digest.substr(0, 16);
    facts_.options = &options;
    facts_.common = &common;
  }

  ExitCode run(const std::vector<std::uint64_t>& units) {
    journal_.state("running", ExitCode::ok);
    for (const std::uint64_t unit : units) {
      if (cli::stop_flag()) break;
      if (!journal_.done(unit)) run_unit(unit);
    }
    contest_.reset();
    ExitCode code = worst_;
    if (!options_.no_gate && journal_.differences() > 0)
      code = cli::worse(code, ExitCode::divergence);
    const bool finished = journal_.done_count() == units.size();
    if (cli::stop_flag() && !finished) code = cli::worse(code, ExitCode::stopped);
    journal_.state(finished ? "finished" : cli::stop_flag() ? "stopped" : "failed", code);
    return code;
  }

 private:
  void run_unit(std::uint64_t number) {
    const shards::PlanUnit& unit = plan_.units[number];
    shards::UnitResult result;
    result.unit = number;
    result.plan = plan_.digest;
    try {
      prepare(unit);
      if (refusal_.empty()) {
        if (!compare(number, result)) return;
        result.status = "compared";
      } else {
        result.status = "refused";
        result.reason = refusal_;
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::usage) throw;
      failed(number, error);
      return;
    }
    journal_.finish(result);
  }

  /// The unit stays to be done; the others go on.
  void failed(std::uint64_t number, const Error& error) {
    contest_.reset();
    worst_ = cli::worse(worst_, cli::exit_code_of(error.code()));
    journal_.problem(fmt::format("unit {}: {}", number, error.what()));
    progress_.clear();
    fmt::print(stderr, "toktier-diffcheck: unit {}: {}\n", number, error.what());
  }

  /// Engines for the unit, those of the unit before when they are the same.
  void prepare(const shards::PlanUnit& unit) {
    if ((contest_ || !refusal_.empty()) && unit.model == at_.model &&
        unit.reference == at_.reference)
      return;
    contest_.reset();
    refusal_.clear();
    const shards::PlanModel& planned = plan_.models[unit.model];
    if (!model_ || unit.model != at_.model) {
      model_.reset();
      model_.emplace(planned.name, options_, references_of_model(unit.model));
    }
    at_ = unit;
    if (fingerprint_of(*model_) != planned.fingerprint)
      throw Error(ErrorCode::input, "the file is not what it was when the plan was made",
                  planned.name);
    try {
      contest_.emplace(options_, common_, *model_, unit.reference);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      refusal_ = error.what();
    }
  }

  /// As plan() loaded it: generators need the tokenizer whichever reference is asked.
  std::vector<std::string> references_of_model(std::uint64_t model) const {
    std::set<std::string> names;
    for (const shards::PlanUnit& unit : plan_.units)
      if (unit.model == model) names.insert(unit.reference);
    return {names.begin(), names.end()};
  }

  /// False when it was stopped.
  bool compare(std::uint64_t number, shards::UnitResult& result) {
    const shards::PlanUnit& unit = plan_.units[number];
    const shards::PlanPortion& portion = plan_.portions[unit.portion];
    const shards::PlanSource& source = plan_.sources[portion.source];
    Row row;
    row.model = plan_.models[unit.model].name;
    row.engine = contest_->engine();
    row.reference = contest_->reference();
    const UnitFacts facts{number, source.name};
    diff::CampaignPlan campaign = contest_->plan();
    if (!unit.ways) campaign.parts &= diff::kFirstWay - 1;
    std::vector<std::string> found;
    campaign.on_divergence = [&](const diff::Divergence& divergence) {
      found.push_back(divergence_record(facts_, row, divergence, &facts));
    };
    const auto documents = open(portion, source);
    progress_.begin(fmt::format("unit {} of {}: {} against {}, {}", journal_.done_count() + 1,
                                journal_.assigned(), row.model, row.reference.row, source.name),
                    portion.slices.empty() ? "docs" : "B");
    campaign.on_progress = [&](const diff::Verdict& verdict, std::uint64_t position) {
      progress_.update(position, documents->total(),
                       fmt::format("{} differences", verdict.difference_count()));
    };
    result.verdict = diff::run_campaign(campaign, *documents);
    progress_.clear();
    if (result.verdict.stopped) return false;
    result.engine = row.engine;
    result.reference = row.reference;
    result.described = found.size();
    for (const std::string& record : found) journal_.divergence(record);
    return true;
  }

  std::unique_ptr<diff::DocumentSource> open(const shards::PlanPortion& portion,
                                             const shards::PlanSource& source) {
    if (source.kind == shards::PlanSource::Kind::files)
      return shards::open_slices(plan_, portion, cli::stop_descriptor());
    auto cases = open_cases(plan_, source, *model_);
    if (!cases->select(portion.begin, portion.end))
      throw Error(ErrorCode::internal, "the generator has no numbered cases", source.name);
    return cases;
  }

  const shards::Plan& plan_;
  const RunOptions& options_;
  const cli::CommonOptions& common_;
  ShardJournal& journal_;
  cli::Progress progress_;
  RunFacts facts_;
  std::optional<LoadedModel> model_;
  std::optional<Contest> contest_;
  std::string refusal_;
  shards::PlanUnit at_;
  ExitCode worst_ = ExitCode::ok;
};

}  // namespace

ExitCode run_shard(const ShardOptions& options, const RunOptions& conduct,
                   const cli::CommonOptions& given, const std::vector<std::string>& command) {
  cli::finish_on_signal();
  if (options.out.empty())
    throw Error(ErrorCode::usage, "run --plan writes into a folder: give --out RUN");
  const std::string text = io::read_all(options.plan);
  const shards::Plan plan = shards::parse_plan(text, options.plan);
  if (given.seed_given && given.seed != plan.settings.seed)
    throw Error(ErrorCode::usage,
                fmt::format("the seed is the plan's ({}): drop --seed", plan.settings.seed));
  cli::CommonOptions common = given;
  common.seed = plan.settings.seed;
  const RunOptions run = planned_options(conduct, plan.settings);
  const ShardChoice choice = parse_shard(options.shard, plan.shards);
  const std::vector<std::uint64_t> units =
      shards::units_of_shard(plan, choice.shard, choice.shards);

  const shards::ShardLock lock(options.out + "/shards/" +
                               shards::shard_name(choice.shard, choice.shards));
  ShardJournal journal(lock.folder(), plan, text, options.resume);
  journal.begin(choice.shard, choice.shards, units.size(), common, command);
  const ExitCode code = ShardRun(plan, run, common, journal).run(units);
  cli::StandardOutput out;
  if (common.format == cli::Format::table) {
    out.write(
        fmt::format("shard {} of {}: {} of {} units done, {} of them before; {} differences\n",
                    choice.shard, choice.shards, journal.done_count(), units.size(),
                    journal.resumed(), journal.differences()));
  } else {
    const bool one = common.format == cli::Format::json;
    out.write((one ? "[" : "") + journal.record() + (one ? "]\n" : "\n"));
  }
  out.flush();
  return code;
}

}  // namespace toktier::diffcheck
