#include "apps/bench/run.hpp"

#include "apps/bench/model_file.hpp"
#include "apps/bench/records.hpp"
#include "apps/bench/sink.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "model/find_file.hpp"

#include <fmt/format.h>

#include <chrono>

namespace toktier::bench {
namespace {

class Bench {
 public:
  Bench(const Options& options, const cli::CommonOptions& common)
      : options_(options), common_(common), progress_(common.progress, common.quiet) {
    plan_.samples = options.samples;
    plan_.passes = options.passes;
    plan_.first_call_bytes = parse_bytes("--first-call", options.first_call_bytes);
    plan_.seed = common.seed;
  }

  cli::ExitCode run() {
    texts_ =
        read_text_sets(input_options(options_), parse_bytes("--slice-bytes", slice_bytes(options_)),
                       options_.each, common_.quiet);
    cli::finish_on_signal();
    Sink sink(common_);
    cli::ExitCode code = cli::ExitCode::ok;
    bool first = true;
    for (const std::string& model : options_.models) {
      const Tokenizer tokenizer = load_lasting(model);
      const TemporaryFolder folder;
      const std::string file = plain_model_file(tokenizer.info().path, folder);
      for (TextSet& texts : texts_) {
        if (cli::stop_flag()) break;
        if (plan_.first_call_bytes > 0) {
          plan_.first_call_file =
              folder.add("first_call.txt", beginning(texts, plan_.first_call_bytes));
        }
        const Report report = measure_one(model, tokenizer, texts, lanes(file, folder));
        progress_.clear();
        sink.write(record(report), (first ? "" : "\n") + table(report));
        first = false;
        code = cli::worse(code, verdict(report));
      }
    }
    sink.commit();
    return cli::stop_flag() ? cli::worse(code, cli::ExitCode::stopped) : code;
  }

 private:
  // The contestants read the file again, each in its process.
  static Tokenizer load_lasting(const std::string& model) {
    return Tokenizer::load(model::find_lasting_tokenizer_file(model));
  }

  std::vector<Lane> lanes(const std::string& file, const TemporaryFolder& folder) const {
    std::vector<Lane> lanes(1);
    lanes[0].entry = our_entry(file);
    std::map<std::string, std::string> files = peer_files(options_);
    for (const std::string& name : options_.peers) {
      Lane& lane = lanes.emplace_back();
      lane.entry.name = name;
      const auto own = files.find(name);
      try {
        std::string model = file;
        if (own != files.end()) {
          model = plain_model_file(load_lasting(own->second).info().path, folder);
        }
        lane.entry = peer_entry(name, model);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::unavailable) throw;
        lane.standing = Standing::refused;
        lane.reason = error.what();
      }
    }
    return lanes;
  }

  Report measure_one(const std::string& model, const Tokenizer& tokenizer, TextSet& texts,
                     std::vector<Lane> lanes) {
    Report report;
    report.model = model;
    report.info = tokenizer.info();
    report.texts = &texts;
    report.plan = plan_;
    report.machine = machine();
    report.machine.allowed = cli::allowed_cpus();
    report.program = cli::version_text("toktier-bench", true);
    report.program.pop_back();
    report.load_begin = load_average();
    report.started = utc_now();
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t steps = 1 + lanes.size() * (plan_.samples + std::uint64_t{1});
    std::uint64_t step = 0;
    progress_.begin(model + " " + texts.name, "");
    report.measurement =
        measure(tokenizer, texts, std::move(lanes), plan_, [&](std::string_view what) {
          if (common_.verbosity > 0) fmt::print(stderr, "toktier-bench: {}\n", what);
          progress_.update(step++, steps, what);
        });
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.load_end = load_average();
    return report;
  }

  cli::ExitCode verdict(const Report& report) const {
    cli::ExitCode code = cli::ExitCode::ok;
    for (const Lane& lane : report.measurement.lanes) {
      if (lane.standing == Standing::measured) continue;
      if (common_.format != cli::Format::table) {
        fmt::print(stderr, "toktier-bench: {} {}: {}\n", lane.entry.name, name_of(lane.standing),
                   lane.reason);
      }
      code = cli::worse(code, without_times(options_, lane.standing == Standing::differs));
    }
    return code;
  }

  const Options& options_;
  const cli::CommonOptions& common_;
  cli::Progress progress_;
  Plan plan_;
  std::vector<TextSet> texts_;
};

}  // namespace

cli::ExitCode run_encode(const Options& options, const cli::CommonOptions& common) {
  check_options(options);
  return Bench(options, common).run();
}

}  // namespace toktier::bench
