#include "apps/diffcheck/contest.hpp"

#include "apps/common/signals.hpp"
#include "base/sha256.hpp"
#include "diff/check_table.hpp"
#include "diff/quoted_engine.hpp"
#include "io/read_all.hpp"
#include "model/find_file.hpp"

#include <chrono>
#include <mutex>
#include <utility>

namespace toktier::diffcheck {
namespace {

bool only_ways(const std::string& checks) {
  return (diff::parse_checks(checks) & (diff::kFirstWay - 1)) == 0;
}

diff::AnswerOptions answer_options(const RunOptions& options) {
  diff::AnswerOptions answer;
  answer.special = options.special == "none"  ? SpecialMode::none
                   : options.special == "all" ? SpecialMode::all
                                              : SpecialMode::file_default;
  answer.add_special = options.add_special;
  answer.truncate = options.truncate;
  return answer;
}

bool needs_tokenizer(const std::string& engine) {
  return engine != "quoted" && engine != kItself && diff::find_engine(engine).needs_tokenizer;
}

}  // namespace

/// Engines of one kind that nobody uses. One that threw is not used again.
class Contest::Pool : public std::enable_shared_from_this<Pool> {
 public:
  using Make = std::function<std::unique_ptr<diff::Engine>()>;
  explicit Pool(Make make) : make_(std::move(make)) { idle_.push_back(make_()); }

  diff::EngineIdentity identity() const { return idle_.front()->identity(); }

  std::unique_ptr<diff::Engine> take() {
    std::unique_ptr<diff::Engine> engine;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        engine = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!engine) engine = make_();
    return std::make_unique<Lent>(shared_from_this(), std::move(engine));
  }

 private:
  class Lent final : public diff::Engine {
   public:
    Lent(std::shared_ptr<Pool> pool, std::unique_ptr<diff::Engine> engine)
        : pool_(std::move(pool)), engine_(std::move(engine)), before_(engine_->restarts()) {}
    ~Lent() override {
      if (busy_) return;
      const std::lock_guard lock(pool_->mutex_);
      pool_->idle_.push_back(std::move(engine_));
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    const diff::EngineIdentity& identity() const override { return engine_->identity(); }
    std::uint32_t can(const diff::AnswerOptions& options) const override {
      return engine_->can(options);
    }
    void ask(std::span<const std::string_view> texts, const diff::Question& question) override {
      busy_ = true;
      engine_->ask(texts, question);
    }
    void receive(std::vector<diff::Answer>& answers) override {
      engine_->receive(answers);
      busy_ = false;
    }
    void decode(std::span<const std::vector<TokenId>> lists,
                std::vector<diff::Decoded>& texts) override {
      busy_ = true;
      engine_->decode(lists, texts);
      busy_ = false;
    }
    std::uint64_t restarts() const override { return engine_->restarts() - before_; }

   private:
    std::shared_ptr<Pool> pool_;
    std::unique_ptr<diff::Engine> engine_;
    std::uint64_t before_;
    bool busy_ = false;  // asked and not answered, so perhaps broken
  };

  Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<diff::Engine>> idle_;
};

std::vector<std::string> references_of(const RunOptions& options) {
  if (!options.against.empty()) return options.against;
  // Ways are compared with plain calls of the same engine: then nobody else is needed.
  return {only_ways(options.checks) ? std::string(kItself) : "auto"};
}

LoadedModel::LoadedModel(const std::string& given, const RunOptions& options,
                         const std::vector<std::string>& references)
    : name(given) {
  bool needed = needs_tokenizer(options.engine);
  for (const std::string& reference : references) needed = needed || needs_tokenizer(reference);
  const std::string file = model::find_lasting_tokenizer_file(name);
  if (needed) tokenizer = std::make_shared<const Tokenizer>(Tokenizer::load(file));
  path.emplace(tokenizer && name != "embedded" ? tokenizer->info().path : name);
}

Contest::Contest(const RunOptions& options, const cli::CommonOptions& common,
                 const LoadedModel& model, const std::string& reference)
    : options_(options), common_(common), model_(model) {
  if (reference == kItself) {
    start(reference, nullptr);
  } else {
    start(reference, [this, &row = diff::find_engine(reference)] { return row.make(request_); });
  }
}

Contest::Contest(const RunOptions& options, const cli::CommonOptions& common,
                 const LoadedModel& model, const std::string& recorded,
                 const std::vector<diff::Document>& quoted)
    : options_(options), common_(common), model_(model) {
  start("quoted", [&recorded, &quoted] { return diff::make_quoted_engine(recorded, quoted); });
}

Contest::~Contest() = default;

void Contest::start(const std::string& reference,
                    std::function<std::unique_ptr<diff::Engine>()> theirs) {
  const diff::EngineRow& engine = diff::find_engine(options_.engine);
  request_.model = model_.path->path();
  request_.tokenizer = model_.tokenizer;
  const bool named = theirs && reference != "quoted";
  if (engine.needs_worker || (named && diff::find_engine(reference).needs_worker)) {
    request_.worker.command = diff::external::find_worker_command();
    request_.worker.request_limit =
        std::chrono::milliseconds(static_cast<std::int64_t>(options_.oracle_timeout * 1000));
    request_.worker.expected_sha256 = base::sha256_hex(io::read_all(request_.model));
    // Lanes are processes already; more threads in each would only fight for the same CPUs.
    request_.worker.threads = 1;
  }
  ours_ = std::make_shared<Pool>([this, &engine] { return engine.make(request_); });
  engine_ = ours_->identity();
  engine_.row = options_.engine;
  reference_.row = reference;
  if (!theirs) return;
  theirs_ = std::make_shared<Pool>(std::move(theirs));
  reference_ = theirs_->identity();
  if (!options_.answers.empty() && reference_.row.starts_with("ext:"))
    store_.emplace(options_.answers, reference_, answer_options(options_));
}

diff::EngineIdentity Contest::engine() const { return engine_; }
diff::EngineIdentity Contest::reference() const { return reference_; }

diff::CampaignPlan Contest::plan() {
  diff::CampaignPlan plan;
  plan.parts = diff::parse_checks(options_.checks);
  plan.options = answer_options(options_);
  plan.lanes = common_.jobs;
  plan.max_differences = options_.max_divergences;
  plan.described_per_class = options_.describe;
  plan.shrink_steps = options_.shrink_steps;
  if (diff::find_engine(options_.engine).needs_tokenizer) plan.tokenizer = model_.tokenizer;
  plan.seed = common_.seed;
  plan.rounds = options_.rounds;
  plan.stop = &cli::stop_flag();
  plan.ours = [this] { return ours_->take(); };
  if (theirs_) plan.theirs = [this] { return theirs_->take(); };
  if (store_) plan.store = &*store_;
  return plan;
}

}  // namespace toktier::diffcheck
