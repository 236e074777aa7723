#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "apps/replay/output.hpp"
#include "apps/replay/reading_job.hpp"
#include "apps/replay/run.hpp"
#include "io/inputs.hpp"
#include "io/read_all.hpp"
#include "replay/generator.hpp"
#include "replay/neutral_writer.hpp"
#include "replay/statistics.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace toktier::replay_app {
namespace {

std::vector<std::string> read_texts(const std::vector<std::string>& paths) {
  io::InputOptions inputs;
  inputs.paths = paths;
  inputs.recursive = true;
  std::vector<std::string> texts;
  for (const std::string& file : io::list_inputs(inputs)) {
    texts.push_back(io::read_all(file));
    if (const auto bad = unicode::find_invalid_utf8(texts.back()))
      throw Error(ErrorCode::input, fmt::format("no UTF-8 at byte {}", *bad), file);
  }
  return texts;
}

/// The sizes of recorded transcripts in place of the laws.
void calibrate(replay::GeneratorPlan& plan, const std::vector<std::string>& like,
               const cli::CommonOptions& common) {
  Options reading;
  reading.inputs.paths = like;
  replay::StatisticsSink sink;
  replay::RecordCounts counts(sink);
  read_all_files(reading, common, counts, true);
  const replay::Statistics met = sink.total();
  if (met.append_chars.count() == 0 || met.calls == 0)
    throw Error(ErrorCode::input, "--like: no appends to go by");
  plan.append = replay::SizeLaw(met.append_chars);
  plan.first = replay::SizeLaw(met.first_chars);
  plan.context = replay::SizeLaw(met.all_chars);
  plan.cold = static_cast<double>(met.cold_calls) / static_cast<double>(met.calls);
}

/// Counts what goes by.
class Counted : public replay::Sink {
 public:
  Counted(replay::Sink& next, cli::Progress& progress, std::uint64_t sessions)
      : next_(next), progress_(progress), sessions_(sessions) {}
  void open(const replay::Session& session) override { next_.open(session); }
  void step(const std::string& key, replay::Step&& step) override {
    next_.step(key, std::move(step));
  }
  void close(const std::string& key) override {
    next_.close(key);
    progress_.update(++done_, sessions_, "");
  }
  void problem(const replay::Problem&) override {}
  void record(std::string_view, std::string_view, replay::Use) override {}
  void file_done(const std::string&, std::string_view) override {}

 private:
  replay::Sink& next_;
  cli::Progress& progress_;
  std::uint64_t sessions_, done_ = 0;
};

}  // namespace

cli::ExitCode run_gen(const Options& options, const cli::CommonOptions& common) {
  if (common.format == cli::Format::json)
    throw Error(ErrorCode::usage, "--format json: sessions are records of their own; use jsonl");
  cli::finish_on_signal();
  const GenOptions& g = options.gen;
  replay::GeneratorPlan plan;
  plan.sessions = g.sessions;
  plan.append = replay::SizeLaw(g.append_median, g.append_p90);
  plan.context = replay::SizeLaw(g.context_median, g.context_p90);
  plan.most_context = g.context_max;
  plan.cold = g.cold;
  plan.sessions_per_second = g.starts;
  plan.seed = common.seed;
  if (!g.like.empty()) calibrate(plan, g.like, common);
  if (!common.seed_given && !common.quiet)
    fmt::print(stderr, "toktier-replay: --seed {}\n", common.seed);
  replay::TextSupply text = g.texts.empty() ? replay::TextSupply(common.seed)
                                            : replay::TextSupply(common.seed, read_texts(g.texts));
  cli::CommonOptions lines = common;
  lines.format = cli::Format::jsonl;
  Output out(lines);
  replay::NeutralWriter writer([&out](std::string_view line) {
    line.remove_suffix(1);
    out.record(line);
  });
  cli::Progress progress(common.progress, common.quiet);
  progress.begin("generate", "sessions");
  Counted counted(writer, progress, plan.sessions);
  replay::generate(plan, text, counted, &cli::stop_flag());
  progress.clear();
  if (cli::stop_flag()) {
    if (common.output.empty()) out.commit();
    return cli::ExitCode::stopped;  // no half file
  }
  out.commit();
  return cli::ExitCode::ok;
}

}  // namespace toktier::replay_app
