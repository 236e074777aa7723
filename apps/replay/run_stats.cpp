#include "apps/replay/output.hpp"
#include "apps/replay/reading_job.hpp"
#include "apps/replay/run.hpp"
#include "apps/replay/statistics_report.hpp"
#include "replay/statistics.hpp"
#include "toktier/tokenizer.hpp"

#include <optional>

namespace toktier::replay_app {

cli::ExitCode run_stats(const Options& options, const cli::CommonOptions& common) {
  Output out(common);
  std::optional<Tokenizer> tokenizer;
  std::optional<Tokenizer::Scratch> scratch;
  replay::TokenCounter counter;
  if (!options.model.empty()) {
    LoadOptions load;
    load.encoding = options.encoding;
    tokenizer.emplace(Tokenizer::load(options.model, load));
    scratch.emplace(*tokenizer);
    EncodeOptions how;
    how.special = SpecialMode::none;  // texts of people and tools: no control tokens
    how.truncate = false;
    counter = [&tokenizer, &scratch, how](std::string_view text) {
      return tokenizer->count(text, how, *scratch);
    };
  }
  replay::StatisticsSink statistics(counter);
  replay::RecordCounts counts(statistics);
  const ReadingResult result = read_all_files(options, common, counts, true);
  const cli::ExitCode code = exit_code_of(options, common, counts, result);
  std::vector<NamedStatistics> rows;
  for (const auto& [name, numbers] : statistics.by_format()) rows.push_back({name, numbers});
  if (rows.size() > 1) rows.push_back({"total", statistics.total()});
  const std::string model = tokenizer ? tokenizer->info().fingerprint : std::string();
  for (const NamedStatistics& row : rows)
    out.record(statistics_record(row, result.series, counts.problems(), model));
  out.table(statistics_tables(rows, result.series));
  out.commit();
  return code;
}

}  // namespace toktier::replay_app
