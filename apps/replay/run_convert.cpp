#include "apps/replay/output.hpp"
#include "apps/replay/reading_job.hpp"
#include "apps/replay/run.hpp"
#include "replay/neutral_writer.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

namespace toktier::replay_app {

cli::ExitCode run_convert(const Options& options, const cli::CommonOptions& common) {
  if (common.format == cli::Format::json)
    throw Error(ErrorCode::usage, "--format json: sessions are records of their own; use jsonl");
  cli::CommonOptions lines = common;
  lines.format = cli::Format::jsonl;
  Output out(lines);
  replay::NeutralWriter writer([&out](std::string_view line) {
    line.remove_suffix(1);
    out.record(line);
  });
  replay::RecordCounts counts(writer);
  const ReadingResult result = read_all_files(options, common, counts, true);
  const cli::ExitCode code = exit_code_of(options, common, counts, result);
  if (result.stopped && !common.output.empty()) return code;  // no half file
  out.commit();
  return code;
}

}  // namespace toktier::replay_app
