#include "apps/replay/output.hpp"
#include "apps/replay/reading_job.hpp"
#include "apps/replay/run.hpp"
#include "replay/workload_lines.hpp"
#include "replay/workload_maker.hpp"
#include "replay/workload_text.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <map>

namespace toktier::replay_app {
namespace {

using report::JsonWriter;

/// Writes steps, or the texts at calls, and adds up what a server would be given.
class WorkloadRecords : public replay::WorkSink {
 public:
  WorkloadRecords(Output& out, bool prompts) : out_(out), prompts_(prompts) {}

  void step(const replay::WorkStep& step) override {
    ++steps_[std::string(replay::name_of(step.op))];
    given_ += step.text.size();
    if (step.prompt) {
      ++calls_;
      prompt_bytes_ += step.bytes;
    }
    if (prompts_) {
      text_.step(step);
      if (step.prompt) write_prompt(step);
    } else {
      write_step(step);
    }
  }

  std::string summary() const {
    report::Table table(
        {{"step", report::Table::Align::left}, {"count", report::Table::Align::right}});
    for (const auto& [op, count] : steps_) table.add({op, report::grouped(count)});
    return table.text() +
           fmt::format("\n{} calls on {} bytes of prompts, for which {} bytes of text were given\n",
                       report::grouped(calls_), report::grouped(prompt_bytes_),
                       report::grouped(given_));
  }

 private:
  void write_step(const replay::WorkStep& step) {
    if (!out_.wants_records()) return;
    out_.record(replay::workload_line(step));
  }

  void write_prompt(const replay::WorkStep& step) {
    if (!out_.wants_records()) return;
    std::string line;
    JsonWriter(line)
        .begin_object()
        .field("schema", replay::kWorkloadSchema)
        .field("kind", "prompt")
        .field("session", step.session)
        .field("turn", step.turn)
        .field("text", *text_.find(step.session))
        .field("bytes", step.bytes)
        .end_object();
    out_.record(line);
  }

  Output& out_;
  bool prompts_;
  replay::WorkloadText text_;
  std::map<std::string, std::uint64_t> steps_;
  std::uint64_t given_ = 0, calls_ = 0, prompt_bytes_ = 0;
};

}  // namespace

cli::ExitCode run_render(const Options& options, const cli::CommonOptions& common) {
  if (common.format == cli::Format::json)
    throw Error(ErrorCode::usage, "--format json: steps are records of their own; use jsonl");
  const replay::ChatTemplate chat = replay::find_template(options.chat_template);
  replay::WorkloadOptions how;
  how.mutation = options.mutation;
  how.limits.budget = options.budget;
  how.seed = common.seed;
  Output out(common);
  WorkloadRecords records(out, options.emit == "prompts");
  replay::WorkloadMaker maker(records, chat, how);
  replay::RecordCounts counts(maker);
  const bool random = how.mutation != "recorded";
  if (random && !common.seed_given && !common.quiet)
    fmt::print(stderr, "toktier-replay: --seed {}\n", common.seed);
  const ReadingResult result = read_all_files(options, common, counts, true);
  const cli::ExitCode code = exit_code_of(options, common, counts, result);
  if (maker.rounds() > 0 && !common.quiet)
    fmt::print(stderr, "toktier-replay: {} calls have lengths only and give no text\n",
               maker.rounds());
  if (result.stopped && !common.output.empty()) return code;  // no half file
  out.table(records.summary());
  out.commit();
  return code;
}

}  // namespace toktier::replay_app
