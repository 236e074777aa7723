#include "apps/bench/run_append.hpp"

#include "apps/bench/append_records.hpp"
#include "apps/bench/model_file.hpp"
#include "apps/bench/sink.hpp"
#include "apps/bench/text_set.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "model/find_file.hpp"

#include <fmt/format.h>

#include <chrono>

namespace toktier::bench {
namespace {

class AppendBench {
 public:
  AppendBench(const Options& options, const cli::CommonOptions& common)
      : options_(options), common_(common), progress_(common.progress, common.quiet) {}

  cli::ExitCode run() {
    const std::vector<TextSet> sets =
        read_text_sets(input_options(options_), parse_bytes("--slice-bytes", slice_bytes(options_)),
                       options_.each, common_.quiet);
    cli::finish_on_signal();
    Sink sink(common_);
    cli::ExitCode code = cli::ExitCode::ok;
    std::string heading = append_heading();
    for (const std::string& model : options_.models) {
      const std::string file = model::find_lasting_tokenizer_file(model);
      const Tokenizer tokenizer = Tokenizer::load(file);
      const TemporaryFolder folder;
      for (const TextSet& set : sets) {
        std::string text;
        for (const std::string& part : set.texts) text += part;
        for (const AppendPlan& plan : plans()) {
          if (cli::stop_flag()) break;
          const AppendReport report = measure(model, tokenizer, folder, set, text, plan);
          progress_.clear();
          sink.write(record(report), heading + append_line(report));
          heading.clear();
          code = cli::worse(code, verdict(report));
        }
      }
    }
    sink.commit();
    return cli::stop_flag() ? cli::worse(code, cli::ExitCode::stopped) : code;
  }

 private:
  std::vector<AppendPlan> plans() const {
    std::vector<AppendPlan> all;
    for (const std::string& interface : options_.interfaces)
      for (const std::uint64_t append : options_.appends)
        for (const std::uint64_t context : options_.contexts)
          all.push_back({context, append, interface == "delta" ? Interface::delta : Interface::full,
                         options_.append_samples});
    return all;
  }

  AppendReport measure(const std::string& model, const Tokenizer& tokenizer,
                       const TemporaryFolder& folder, const TextSet& set, const std::string& text,
                       const AppendPlan& plan) {
    AppendReport report;
    report.model = model;
    report.info = tokenizer.info();
    report.text_name = set.name;
    report.text_sha256 = set.sha256;
    report.plan = plan;
    report.machine = machine();
    report.machine.allowed = cli::allowed_cpus();
    report.program = cli::version_text("toktier-bench", true);
    report.program.pop_back();
    report.load_begin = load_average();
    report.started = utc_now();
    const auto start = std::chrono::steady_clock::now();
    const auto note = [&](std::string_view what) {
      if (common_.verbosity > 0)
        fmt::print(stderr, "toktier-bench: {} {}: {}\n", model, plan.context, what);
      progress_.update(0, 0, what);
    };
    progress_.begin(fmt::format("{} {}", model, plan.context), "");
    report.ours = measure_append(tokenizer, text, plan, note);
    for (const std::string& name : options_.peers) {
      if (report.ours.stopped || report.ours.difference) break;
      note(name);
      report.peers.push_back(peer(name, tokenizer, folder, report.ours));
    }
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.load_end = load_average();
    return report;
  }

  PeerAppend peer(const std::string& name, const Tokenizer& tokenizer,
                  const TemporaryFolder& folder, const AppendMeasurement& ours) const {
    const std::map<std::string, std::string> files = peer_files(options_);
    const auto own = files.find(name);
    try {
      const std::string file = own == files.end() ? tokenizer.info().path
                                                  : model::find_lasting_tokenizer_file(own->second);
      return measure_peer(peer_entry(name, plain_model_file(file, folder)), ours,
                          options_.peer_samples);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unavailable) throw;
      PeerAppend missing;
      missing.name = name;
      missing.reason = error.what();
      return missing;
    }
  }

  cli::ExitCode verdict(const AppendReport& report) const {
    cli::ExitCode code = cli::ExitCode::ok;
    if (report.ours.difference) {
      fmt::print(stderr,
                 "toktier-bench: {}, context {}: sample {} differs from a cold encode at id {}\n",
                 report.model, report.plan.context, report.ours.difference->sample,
                 report.ours.difference->position);
      code = cli::ExitCode::divergence;
    }
    for (const PeerAppend& peer : report.peers) {
      if (!peer.seconds.empty()) continue;
      fmt::print(stderr, "toktier-bench: {} {}: {}\n", peer.name,
                 peer.differs ? "differs" : "not timed", peer.reason);
      code = cli::worse(code, without_times(options_, peer.differs));
    }
    return code;
  }

  const Options& options_;
  const cli::CommonOptions& common_;
  cli::Progress progress_;
};

}  // namespace

cli::ExitCode run_append(const Options& options, const cli::CommonOptions& common) {
  check_options(options);
  return AppendBench(options, common).run();
}

}  // namespace toktier::bench
