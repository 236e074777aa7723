#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "apps/encode/failures.hpp"
#include "apps/encode/records.hpp"
#include "apps/encode/run.hpp"
#include "apps/encode/sink.hpp"
#include "flow/ordered.hpp"
#include "report/table.hpp"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <sys/resource.h>

namespace toktier::encode_app {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Processor time of the calling thread: what a shared machine measures best.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Documents that travel together: small ones share the cost of a hand-over.
struct Batch {
  std::vector<io::Document> documents;
  std::vector<std::size_t> counts;
  std::string out;
  std::uint64_t tokens = 0, bytes = 0, encoded = 0, skipped = 0, truncated = 0, padded = 0;
  double seconds = 0, cpu_seconds = 0;
  std::vector<Error> refused, unreadable;  // documents, and what never became one
};
constexpr std::size_t kBatchBytes = 256 * 1024;
constexpr std::size_t kBatchErrors = 100;

struct Totals {
  std::uint64_t documents = 0, bytes = 0, tokens = 0, skipped = 0, truncated = 0, padded = 0;
  std::uint64_t encoded = 0;
  double encode_seconds = 0, cpu_seconds = 0;
};

// Scratch spaces for as many batches as run at once.
class Scratches {
 public:
  Scratches(const Tokenizer& tokenizer, std::size_t cache_bytes)
      : tokenizer_(tokenizer), cache_bytes_(cache_bytes) {}
  Tokenizer::Scratch take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return Tokenizer::Scratch(tokenizer_, cache_bytes_);
    Tokenizer::Scratch scratch = std::move(free_.back());
    free_.pop_back();
    return scratch;
  }
  void give_back(Tokenizer::Scratch scratch) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(scratch));
  }
  std::size_t cache_bytes() const {
    std::size_t sum = 0;
    for (const Tokenizer::Scratch& s : free_) sum += s.cache_bytes();
    return sum;
  }
  std::size_t count() const { return free_.size(); }

 private:
  const Tokenizer& tokenizer_;
  std::size_t cache_bytes_;
  std::mutex mutex_;
  std::vector<Tokenizer::Scratch> free_;
};

class Encoder {
 public:
  Encoder(const Options& options, const cli::CommonOptions& common)
      : options_(options),
        common_(common),
        emit_(parse_emit(options.emit)),
        encode_(encode_options(options, emit_)),
        table_(common.format == cli::Format::table && common.output.empty() && !emit_.spans &&
               !emit_.pieces && !emit_.tokens && !emit_.ids),
        tokenizer_(Tokenizer::load(options.model, load_options(options))),
        scratches_(tokenizer_, options.cache_bytes),
        failures_(options.fail_fast) {
    cli::finish_on_signal();
    sink_.emplace(common.output);
    // Only counts wanted: nothing is built.
    count_only_ = emit_.count && !emit_.ids && !emit_.spans && !emit_.pieces && !emit_.tokens &&
                  !emit_.hash && options.binary.empty();
    load_seconds_ = seconds_since(start_);
  }

  cli::ExitCode run() {
    std::unique_ptr<io::DocumentReader> reader;
    if (!options_.has_text) {
      const io::InputOptions inputs = input_options(options_);
      std::vector<Error> problems;
      io::Skipped skipped;
      std::vector<std::string> files = io::list_inputs(inputs, &problems, &skipped);
      for (const Error& problem : problems) failures_.add(problem);
      if (!skipped.empty()) complain(io::describe(skipped));
      reader = io::read_files(std::move(files), inputs.records, inputs.stop);
    }
    bool text_taken = false;
    cli::Progress progress(common_.progress, common_.quiet);
    progress.begin("encode", "B");
    flow::run_ordered<Batch>(
        common_.jobs, [&] { return read(reader.get(), text_taken); }, [&](Batch& b) { work(b); },
        [&](Batch& b) {
          write(b);
          progress.update(totals_.bytes, 0, "");
        });
    progress.clear();
    finish();
    cli::ExitCode code = failures_.code();
    if (cli::stop_flag()) {
      code = cli::worse(code, cli::ExitCode::stopped);
    } else if (totals_.encoded == 0) {
      if (failures_.count() == 0)
        complain(totals_.documents == 0 ? "no documents in the input" : "no document was encoded");
      code = cli::worse(code, cli::ExitCode::input);
    }
    return code;
  }

 private:
  void complain(std::string_view text) const {
    if (!common_.quiet) fmt::print(stderr, "toktier-encode: {}\n", text);
  }

  std::shared_ptr<Batch> read(io::DocumentReader* reader, bool& text_taken) {
    auto batch = std::make_shared<Batch>();
    if (cli::stop_flag() || sink_->closed() || ended_) return nullptr;
    if (reader == nullptr) {
      if (text_taken) return nullptr;
      text_taken = true;
      batch->documents.push_back({"text", options_.text, "--text", 0, ""});
      batch->bytes = options_.text.size();
      return batch;
    }
    while (!ended_ && batch->bytes < kBatchBytes && batch->unreadable.size() < kBatchErrors) {
      io::Document document;
      try {
        if (!reader->next(document)) break;
        batch->bytes += document.text.size();
        batch->documents.push_back(std::move(document));
      } catch (const Error& error) {
        if (!Failures::concerns_one_input(error)) throw;
        batch->unreadable.push_back(error);
        ended_ = options_.fail_fast;
      }
    }
    return batch->documents.empty() && batch->unreadable.empty() ? nullptr : batch;
  }

  // Where a document stands, for messages.
  static std::string place(const io::Document& document) {
    return document.line == 0 ? document.id : fmt::format("{}:{}", document.source, document.line);
  }

  void work(Batch& batch) {
    Tokenizer::Scratch scratch = scratches_.take();
    Encoding encoding;
    const double cpu_start = thread_seconds();
    for (const io::Document& document : batch.documents) {
      if (document.not_utf8) {
        ++batch.skipped;
        continue;
      }
      const Clock::time_point start = Clock::now();
      std::size_t count = 0;
      try {
        if (count_only_) {
          count = tokenizer_.count(document.text, encode_, scratch);
        } else {
          tokenizer_.encode(document.text, encode_, scratch, encoding);
          count = encoding.ids.size();
        }
      } catch (const Error& error) {
        if (!Failures::concerns_one_input(error)) throw;
        if (error.code() == ErrorCode::input && options_.invalid == "skip") {
          ++batch.skipped;
          continue;
        }
        batch.refused.emplace_back(error.code(), error.what(), place(document));
        if (options_.fail_fast) break;  // write() throws it after what came before
        continue;
      }
      ++batch.encoded;
      batch.seconds += seconds_since(start);
      batch.tokens += count;
      batch.truncated += encoding.truncated;
      batch.padded += encoding.padded;
      if (!options_.binary.empty())
        append_binary(batch.out, encoding.ids, options_.binary == "u16" ? 2 : 4);
      else if (table_)
        batch.out += fmt::format("{:>12}  {}\n", report::grouped(count), document.id);
      else
        append_record(batch.out, document.id, document.text, encoding, count, emit_,
                      options_.span_unit == "codepoint", tokenizer_);
    }
    batch.cpu_seconds = thread_seconds() - cpu_start;
    scratches_.give_back(std::move(scratch));
  }

  void write(Batch& batch) {
    totals_.documents += batch.documents.size();
    totals_.bytes += batch.bytes;
    totals_.tokens += batch.tokens;
    totals_.encoded += batch.encoded;
    totals_.skipped += batch.skipped;
    totals_.truncated += batch.truncated;
    totals_.padded += batch.padded;
    totals_.encode_seconds += batch.seconds;
    totals_.cpu_seconds += batch.cpu_seconds;
    sink_->write(batch.out);
    for (const Error& error : batch.refused) failures_.add(error);
    for (const Error& error : batch.unreadable) failures_.add(error);
  }

  void finish() {
    if (table_ && totals_.documents > 1)
      sink_->write(fmt::format("{:>12}  total\n", report::grouped(totals_.tokens)));
    // Stopped early: a file that should be whole is not written.
    if (cli::stop_flag() && !common_.output.empty())
      complain(common_.output + ": not written, the run was stopped");
    else
      sink_->commit();
    if (totals_.truncated + totals_.padded > 0) {
      complain(
          fmt::format("the file's limits cut {} and padded {} tokens; --no-truncation ignores them",
                      report::grouped(totals_.truncated), report::grouped(totals_.padded)));
    }
    if (totals_.skipped > 0)
      complain(
          fmt::format("{} of {} documents skipped: not UTF-8", totals_.skipped, totals_.documents));
    if (failures_.count() + totals_.encoded > 1 && failures_.count() > 0)
      complain(
          fmt::format("{} failed, {} encoded", failures_.count(), documents_text(totals_.encoded)));
    if (options_.stats) print_stats();
  }

  static std::string documents_text(std::uint64_t count) {
    return fmt::format("{} document{}", report::grouped(count), count == 1 ? "" : "s");
  }

  void print_stats() const {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double mb = static_cast<double>(totals_.bytes) / 1e6;
    const auto rate = [&](double seconds) { return seconds > 0 ? mb / seconds : 0.0; };
    fmt::print(
        stderr,
        "documents {}  bytes {}  tokens {}\n"
        "load {:.1f} ms  wall {:.1f} ms  peak memory {:.1f} MB  piece cache {:.2f} MB in {} "
        "space{}\n"
        "encode {:.3f} ms  {:.1f} MB/s a thread  {:.2f} ns/byte  ({} thread{}, wall time)\n"
        "       {:.3f} ms  {:.1f} MB/s a thread  (processor time, records included)\n",
        totals_.documents, totals_.bytes, totals_.tokens, load_seconds_ * 1e3,
        seconds_since(start_) * 1e3, static_cast<double>(usage.ru_maxrss) / 1e3,
        static_cast<double>(scratches_.cache_bytes()) / 1e6, scratches_.count(),
        scratches_.count() == 1 ? "" : "s", totals_.encode_seconds * 1e3,
        rate(totals_.encode_seconds),
        totals_.bytes > 0 ? totals_.encode_seconds * 1e9 / static_cast<double>(totals_.bytes) : 0.0,
        common_.jobs, common_.jobs == 1 ? "" : "s", totals_.cpu_seconds * 1e3,
        rate(totals_.cpu_seconds));
  }

  const Options& options_;
  const cli::CommonOptions& common_;
  const Clock::time_point start_ = Clock::now();
  Emit emit_;
  EncodeOptions encode_;
  bool table_;
  bool count_only_ = false;
  Tokenizer tokenizer_;
  Scratches scratches_;
  std::optional<Sink> sink_;
  Failures failures_;
  bool ended_ = false;  // an input failed and --fail-fast
  Totals totals_;
  double load_seconds_ = 0;
};

}  // namespace

cli::ExitCode run_encode(const Options& options, const cli::CommonOptions& common) {
  if (options.model.empty())
    throw Error(ErrorCode::usage,
                "no tokenizer: -m FILE, a name in TOKTIER_MODELS, or -m embedded");
  check_encode_options(options);
  check_format(common.format);
  return Encoder(options, common).run();
}

}  // namespace toktier::encode_app
