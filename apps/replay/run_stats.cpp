#include "apps/common/signals.hpp"
#include "apps/replay/output.hpp"
#include "apps/replay/reading_job.hpp"
#include "apps/replay/run.hpp"
#include "apps/replay/statistics_report.hpp"
#include "replay/replay_totals.hpp"
#include "replay/statistics.hpp"
#include "replay/workload_fan.hpp"
#include "toktier/tokenizer.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <optional>

namespace toktier::replay_app {
namespace {

/// Gives everything to two sinks; steps are copied for the second.
class Both : public replay::Sink {
 public:
  Both(replay::Sink& first, replay::Sink& second) : first_(first), second_(second) {}
  void open(const replay::Session& session) override {
    first_.open(session);
    second_.open(session);
  }
  void step(const std::string& key, replay::Step&& step) override {
    second_.step(key, replay::Step(step));
    first_.step(key, std::move(step));
  }
  void close(const std::string& key) override {
    first_.close(key);
    second_.close(key);
  }
  void problem(const replay::Problem& problem) override {
    first_.problem(problem);
    second_.problem(problem);
  }
  void record(std::string_view format, std::string_view kind, replay::Use use) override {
    first_.record(format, kind, use);
    second_.record(format, kind, use);
  }
  void file_done(const std::string& file, std::string_view format) override {
    first_.file_done(file, format);
    second_.file_done(file, format);
  }

 private:
  replay::Sink &first_, &second_;
};

/// The texts of sessions, one after the other without a template, carried out on sessions of the
/// library: what an append has to encode.
class Encoded {
 public:
  Encoded(const Tokenizer& tokenizer, const EncodeOptions& how)
      : chat_(replay::find_template("plain")),
        driver_(tokenizer, options_of(tokenizer, how)),
        fan_({"recorded"}, chat_, {}, [this](replay::WorkSession&& work) {
          by_format_[work.format].add(driver_.run(work));
        }) {}
  replay::Sink& sink() { return fan_; }
  const std::map<std::string, replay::ReplayTotals>& by_format() const { return by_format_; }

 private:
  static replay::DriverOptions options_of(const Tokenizer& tokenizer, const EncodeOptions& how) {
    replay::DriverOptions options;
    SessionOptions session;
    session.special = how.special;
    options.make = replay::session_targets(tokenizer, session);
    (void)options.make();  // throws here for a tokenizer that has no sessions
    options.cold = how;
    options.verify.kind = replay::Verification::Kind::none;
    options.stop = &cli::stop_flag();
    return options;
  }

  replay::ChatTemplate chat_;
  std::map<std::string, replay::ReplayTotals> by_format_;
  replay::Driver driver_;
  replay::WorkloadFan fan_;
};

}  // namespace

cli::ExitCode run_stats(const Options& options, const cli::CommonOptions& common) {
  Output out(common);
  std::optional<Tokenizer> tokenizer;
  std::optional<Tokenizer::Scratch> scratch;
  replay::TokenCounter counter;
  EncodeOptions how;
  if (!options.model.empty()) {
    LoadOptions load;
    load.encoding = options.encoding;
    tokenizer.emplace(Tokenizer::load(options.model, load));
    scratch.emplace(*tokenizer);
    how.special = SpecialMode::none;  // texts of people and tools: no control tokens
    how.truncate = false;
    counter = [&tokenizer, &scratch, how](std::string_view text) {
      return tokenizer->count(text, how, *scratch);
    };
  }
  replay::StatisticsSink statistics(counter);
  std::optional<Encoded> encoded;
  std::optional<Both> both;
  if (tokenizer) {
    try {
      encoded.emplace(*tokenizer, how);
      both.emplace(statistics, encoded->sink());
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      if (!common.quiet) fmt::print(stderr, "toktier-replay: {}\n", error.what());
    }
  }
  replay::RecordCounts counts(both ? static_cast<replay::Sink&>(*both) : statistics);
  const ReadingResult result = read_all_files(options, common, counts, true);
  const cli::ExitCode code = exit_code_of(options, common, counts, result);
  std::vector<NamedStatistics> rows;
  for (const auto& [name, numbers] : statistics.by_format()) rows.push_back({name, numbers, {}});
  if (rows.size() > 1) rows.push_back({"total", statistics.total(), {}});
  if (encoded) {
    replay::ReplayTotals all;
    for (const auto& [format, totals] : encoded->by_format()) all.merge(totals);
    for (NamedStatistics& row : rows) {
      const auto found = encoded->by_format().find(row.name);
      row.encoded = found == encoded->by_format().end() ? replay::ReplayTotals{} : found->second;
      if (row.name == "total") row.encoded = all;
    }
  }
  const std::string model = tokenizer ? tokenizer->info().fingerprint : std::string();
  for (const NamedStatistics& row : rows)
    out.record(statistics_record(row, result.series, counts.problems(), model));
  out.table(statistics_tables(rows, result.series));
  out.commit();
  return code;
}

}  // namespace toktier::replay_app
