#include "apps/replay/replay_models.hpp"

#include "apps/common/signals.hpp"
#include "base/sha256.hpp"
#include "diff/engine_table.hpp"
#include "io/read_all.hpp"
#include "model/find_file.hpp"
#include "toktier/session.hpp"

#include <fmt/format.h>

namespace toktier::replay_app {
namespace {

SpecialMode special_mode(const std::string& name) {
  return name == "none"  ? SpecialMode::none
         : name == "all" ? SpecialMode::all
                         : SpecialMode::file_default;
}

}  // namespace

ReplayModel::ReplayModel(std::string name, const ReplayOptions& options,
                         const std::string& encoding, std::uint64_t seed)
    : name_(std::move(name)) {
  LoadOptions load;
  load.encoding = encoding;
  const std::string file = model::find_lasting_tokenizer_file(name_);
  tokenizer_ = std::make_unique<Tokenizer>(Tokenizer::load(file, load));
  SessionOptions session;
  session.special = special_mode(options.special);
  session.add_special = options.add_special;
  refusal_ = toktier::Session(*tokenizer_, session).refusal();

  driver_options_.given =
      options.interface == "full" ? replay::GivenAs::full : replay::GivenAs::delta;
  driver_options_.cold.special = session.special;
  driver_options_.cold.add_special = session.add_special;
  driver_options_.cold.truncate = false;
  driver_options_.make = options.target == "whole"
                             ? replay::whole_encodes(*tokenizer_, driver_options_.cold)
                             : replay::session_targets(*tokenizer_, session);
  if (const auto fault = replay::planted_named(options.plant))
    driver_options_.make = replay::with_fault(std::move(driver_options_.make), *fault);
  driver_options_.verify = replay::parse_verification(options.verify);
  driver_options_.verify.seed = seed;
  driver_options_.stop = &cli::stop_flag();
  if (!options.reference) return;

  driver_options_.verify.reference = options.reference_share;
  question_.options.special = session.special;
  question_.options.add_special = session.add_special;
  path_ = std::make_unique<cli::ModelPath>(file == "embedded" ? file : tokenizer_->info().path);
  diff::EngineRequest request;
  request.model = path_->path();
  request.worker.command = diff::external::find_worker_command();
  request.worker.expected_sha256 = base::sha256_hex(io::read_all(request.model));
  reference_ = diff::find_engine("auto").make(request);
  identity_ = reference_->identity();
  driver_options_.reference = [this](const std::string& text) { return ask(text); };
}

replay::ReferenceAnswer ReplayModel::ask(const std::string& text) {
  const std::lock_guard lock(reference_mutex_);
  replay::ReferenceAnswer out;
  if (!reference_) return out;
  try {
    diff::Answer answer = diff::answer_one(*reference_, text, question_);
    out.known = answer.status == diff::AnswerStatus::ok;
    if (out.known)
      out.ids = std::move(answer.ids);
    else if (answer.status == diff::AnswerStatus::refused)
      out.refusal = answer.error.empty() ? "no reason given" : answer.error;
    else
      ++reference_deaths_;
  } catch (const Error& error) {
    reference_lost_ = error.what();
    reference_.reset();
  }
  return out;
}

std::string ReplayModel::reference_lost() const {
  const std::lock_guard lock(reference_mutex_);
  return reference_lost_;
}

std::uint64_t ReplayModel::reference_deaths() const {
  const std::lock_guard lock(reference_mutex_);
  return reference_deaths_;
}

std::unique_ptr<replay::Driver> ReplayModel::take() {
  const std::lock_guard lock(pool_mutex_);
  if (pool_.empty()) return std::make_unique<replay::Driver>(*tokenizer_, driver_options_);
  std::unique_ptr<replay::Driver> driver = std::move(pool_.back());
  pool_.pop_back();
  return driver;
}

void ReplayModel::give(std::unique_ptr<replay::Driver> driver) {
  const std::lock_guard lock(pool_mutex_);
  pool_.push_back(std::move(driver));
}

}  // namespace toktier::replay_app
