// plan: cuts a campaign into units.

#include "apps/common/output.hpp"
#include "apps/common/progress.hpp"
#include "apps/diffcheck/campaign.hpp"
#include "apps/diffcheck/job.hpp"
#include "apps/diffcheck/run.hpp"
#include "diff/check_table.hpp"
#include "diff/shards/corpus_plan.hpp"
#include "io/output_file.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toktier::diffcheck {
namespace {

using cli::ExitCode;
namespace shards = diff::shards;

constexpr std::uint64_t kSample = 256;  // cases by which the weight of a generator is estimated

/// Whatever sizes cases have, a unit should not be the last to end by hours.
constexpr std::uint64_t kMostCases = 1'000'000;

class Planner {
 public:
  Planner(const PlanOptions& options, const cli::CommonOptions& common)
      : options_(options), common_(common), progress_(common.progress, common.quiet) {
    const RunOptions& run = options.run;
    shards::PlanSettings& s = plan_.settings;
    s.seed = common.seed;
    s.engine = run.engine;
    s.checks = diff::check_names(diff::parse_checks(run.checks));
    s.special = run.special;
    s.add_special = run.add_special;
    s.truncate = run.truncate;
    s.rounds = run.rounds;
    s.describe = run.describe;
    s.shrink_steps = run.shrink_steps;
    s.text_pointer = run.field;
    s.id_pointer = run.id_field;
    plan_.shards = options.shards;
  }

  shards::Plan make() {
    const RunOptions& run = options_.run;
    if (!run.texts.empty())
      throw Error(ErrorCode::usage, "a plan is made of files and generators: drop --text");
    diff::find_engine(run.engine);
    references_ = references_of(run);
    for (const std::string& name : references_)
      if (name != kItself) diff::find_engine(name);
    const Jobs jobs = plan_jobs(run);
    progress_.begin("plan", "B");
    for (const std::string& input : run.inputs) {
      const auto on_file = [this](const std::string& file) { progress_.update(0, 0, file); };
      shards::add_corpus(plan_, input, run.input_format, weight(), on_file);
    }
    const std::size_t corpus_portions = plan_.portions.size();
    const std::size_t corpora = plan_.sources.size();
    for (const std::string& spec : run.generators)
      plan_.sources.push_back({shards::PlanSource::Kind::generator, spec, "", 0, {}});
    if (run.exhaustive) {
      plan_.sources.push_back({shards::PlanSource::Kind::exhaustive,
                               fmt::format("exhaustive:{}", run.length),
                               run.alphabet,
                               run.length,
                               {}});
    }
    for (const Job& job : jobs.jobs) add_model(job, corpus_portions, corpora);
    if (plan_.units.empty() && plan_.models.empty())
      throw Error(ErrorCode::unsupported, "every model was refused");
    return std::move(plan_);
  }

 private:
  std::uint64_t weight() const { return options_.unit_kib * 1024; }

  void add_model(const Job& job, std::size_t corpus_portions, std::size_t corpora) {
    std::optional<LoadedModel> model;
    try {
      model.emplace(job.model, options_.run, references_);
    } catch (const Error& error) {
      if (!job.optional || error.code() != ErrorCode::unsupported) throw;
      plan_.refused[job.model] = error.what();
      return;
    }
    const std::uint64_t number = plan_.models.size();
    plan_.models.push_back({job.model, fingerprint_of(*model)});
    const std::size_t first_case = plan_.portions.size();
    for (std::size_t source = corpora; source < plan_.sources.size(); ++source)
      add_cases(*model, source);
    // Ways need no reference: they are gone once for a model.
    const bool only_ways = references_.front() == kItself;
    bool ways = true;
    for (const std::string& reference : references_) {
      const auto add = [&](std::size_t begin, std::size_t end) {
        for (std::size_t portion = begin; portion < end; ++portion)
          plan_.units.push_back({number, portion, reference, ways});
      };
      if (only_ways && !ways) break;
      add(0, corpus_portions);
      add(first_case, plan_.portions.size());
      ways = false;
    }
  }

  void add_cases(const LoadedModel& model, std::size_t source) {
    const auto cases = open_cases(plan_, plan_.sources[source], model);
    const std::uint64_t total = cases->total();
    std::uint64_t bytes = 0, sampled = 0;
    for (diff::Document document; sampled < kSample && cases->next(document); ++sampled)
      bytes += document.text.size();
    const std::uint64_t each = shards::kDocumentWeight + (sampled == 0 ? 0 : bytes / sampled);
    const std::uint64_t step = std::clamp<std::uint64_t>(weight() / each, 1, kMostCases);
    for (std::uint64_t begin = 0; begin < total; begin += step) {
      shards::PlanPortion portion;
      portion.source = source;
      portion.begin = begin;
      portion.end = std::min(begin + step, total);
      portion.weight = (portion.end - portion.begin) * each;
      plan_.portions.push_back(std::move(portion));
    }
  }

  const PlanOptions& options_;
  const cli::CommonOptions& common_;
  cli::Progress progress_;
  std::vector<std::string> references_;
  shards::Plan plan_;
};

/// What a person wants to know before it runs.
std::string overview(const shards::Plan& plan, std::uint64_t count) {
  std::uint64_t total = 0, most = 0, least = ~std::uint64_t{0};
  for (std::uint64_t shard = 0; shard < count; ++shard) {
    std::uint64_t load = 0;
    for (const std::uint64_t unit : shards::units_of_shard(plan, shard, count))
      load += plan.weight(unit);
    total += load;
    most = std::max(most, load);
    least = std::min(least, load);
  }
  report::Table table({{"plan"}, {plan.digest.substr(0, 16)}});
  table.add({"models", report::grouped(plan.models.size())});
  if (!plan.refused.empty()) table.add({"refused models", report::grouped(plan.refused.size())});
  table.add({"sources", report::grouped(plan.sources.size())});
  table.add({"files", report::grouped(plan.files.size())});
  table.add({"units", report::grouped(plan.units.size())});
  table.add({"weight", report::grouped(total)});
  table.add({"shards", report::grouped(count)});
  table.add({"weight of a shard",
             fmt::format("{} to {}", report::grouped(least), report::grouped(most))});
  std::string text = table.text();
  for (const auto& [name, why] : plan.refused) text += fmt::format("refused: {}\n", why);
  for (const shards::PlanFile& file : plan.files) {
    if (file.packed && file.frames == 1 && file.bytes > (std::uint64_t{64} << 20))
      text += fmt::format("one zstd frame, so each unit decodes all before it: {}\n", file.path);
  }
  return text;
}

}  // namespace

ExitCode plan(const PlanOptions& options, const cli::CommonOptions& common) {
  shards::Plan plan = Planner(options, common).make();
  const std::string text = shards::plan_text(plan);
  cli::StandardOutput out;
  if (common.output.empty()) {
    out.write(text);
  } else {
    io::OutputFile file(common.output);
    file.write(text);
    file.commit();
    if (!common.quiet) out.write(overview(plan, plan.shards));
  }
  out.flush();
  // Nothing can come of a plan without units.
  return plan.units.empty() ? ExitCode::input : ExitCode::ok;
}

}  // namespace toktier::diffcheck
