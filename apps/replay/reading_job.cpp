#include "apps/replay/reading_job.hpp"

#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace toktier::replay_app {
namespace {

/// Says the first problems; the others are counted by who counts.
class Sayer : public replay::Sink {
 public:
  Sayer(replay::Sink& next, std::uint64_t limit, cli::Progress& progress)
      : next_(next), limit_(limit), progress_(progress) {}
  ~Sayer() override = default;

  void open(const replay::Session& session) override { next_.open(session); }
  void step(const std::string& key, replay::Step&& step) override {
    next_.step(key, std::move(step));
  }
  void close(const std::string& key) override { next_.close(key); }
  void problem(const replay::Problem& problem) override {
    if (cli::stop_flag()) return;  // what a signal cut off is not damaged
    if (said_ < limit_) {
      progress_.clear();
      fmt::print(stderr, "toktier-replay: {}\n", replay::text_of(problem));
    }
    ++said_;
    next_.problem(problem);
  }
  void record(std::string_view format, std::string_view kind, replay::Use use) override {
    next_.record(format, kind, use);
  }
  void file_done(const std::string& file, std::string_view format) override {
    next_.file_done(file, format);
  }
  std::uint64_t unsaid() const { return said_ > limit_ ? said_ - limit_ : 0; }

 private:
  replay::Sink& next_;
  std::uint64_t limit_, said_ = 0;
  cli::Progress& progress_;
};

}  // namespace

struct ReadingJob::Impl {
  Impl(const Options& options, const cli::CommonOptions& common, replay::Sink& sink, bool say_them,
       cli::Progress& progress)
      : quiet(common.quiet),
        say(say_them),
        sayer(sink, say_them ? options.max_problems : 0, progress),
        reader(sayer, how_of(options)) {
    io::InputOptions inputs = options.inputs;
    inputs.recursive = true;
    std::vector<Error> missing;
    files = io::list_inputs(inputs, &missing);
    for (const Error& error : missing) sayer.problem({error.what(), 0, "", "", "cannot be read"});
  }

  static replay::ReadOptions how_of(const Options& options) {
    replay::ReadOptions how;
    if (options.input_format != "auto") how.format = options.input_format;
    how.join = options.join == "auto";
    how.stop = cli::stop_descriptor();
    return how;
  }

  bool quiet, say;
  Sayer sayer;
  replay::TranscriptReader reader;
  std::vector<std::string> files;
  std::size_t done = 0;
};

ReadingJob::ReadingJob(const Options& options, const cli::CommonOptions& common, replay::Sink& sink,
                       bool say, cli::Progress& progress)
    : impl_(std::make_unique<Impl>(options, common, sink, say, progress)) {}

ReadingJob::~ReadingJob() = default;
std::size_t ReadingJob::files() const { return impl_->files.size(); }
std::size_t ReadingJob::done() const { return impl_->done; }

bool ReadingJob::next() {
  if (cli::stop_flag() || impl_->done == impl_->files.size()) return false;
  impl_->reader.read(impl_->files[impl_->done++]);
  return true;
}

ReadingResult ReadingJob::finish() {
  impl_->reader.finish();
  if (impl_->say && impl_->sayer.unsaid() > 0 && !impl_->quiet)
    fmt::print(stderr, "toktier-replay: {} further problems\n", impl_->sayer.unsaid());
  return {impl_->reader.series(), cli::stop_flag()};
}

ReadingResult read_all_files(const Options& options, const cli::CommonOptions& common,
                             replay::Sink& sink, bool say) {
  cli::finish_on_signal();
  cli::Progress progress(common.progress, common.quiet);
  progress.begin("read", "files");
  ReadingJob job(options, common, sink, say, progress);
  while (job.next()) progress.update(job.done(), job.files(), "");
  progress.clear();
  return job.finish();
}

cli::ExitCode exit_code_of(const Options& options, const cli::CommonOptions& common,
                           const replay::RecordCounts& counts, const ReadingResult& result) {
  cli::ExitCode code = counts.problems() > 0 ? cli::ExitCode::input : cli::ExitCode::ok;
  if (result.stopped) return cli::worse(code, cli::ExitCode::stopped);
  if (counts.sessions() == 0 && !options.allow_empty) {
    if (!common.quiet && counts.problems() == 0)
      fmt::print(stderr, "toktier-replay: no session in the input\n");
    code = cli::worse(code, cli::ExitCode::input);
  }
  return code;
}

}  // namespace toktier::replay_app
