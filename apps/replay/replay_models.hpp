#pragma once
// The tokenizers of a replay, each with its reference engine if that is wanted.

#include "apps/common/model_path.hpp"
#include "apps/replay/options.hpp"
#include "diff/engine.hpp"
#include "replay/driver.hpp"
#include "toktier/tokenizer.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace toktier::replay_app {

/// One tokenizer; its drivers are lent to threads. Thread-safe but for construction.
class ReplayModel {
 public:
  /// Error as loading, starting a session or starting the reference throws.
  ReplayModel(std::string name, const ReplayOptions& options, const std::string& encoding,
              std::uint64_t seed);

  const std::string& name() const { return name_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const replay::DriverOptions& driver_options() const { return driver_options_; }
  const TokenizerInfo& info() const { return tokenizer_->info(); }
  /// Why sessions of it encode whole documents; else empty.
  const std::string& refusal() const { return refusal_; }
  /// Empty row when no reference is asked.
  const diff::EngineIdentity& reference() const { return identity_; }
  /// Why the reference was given up; else empty.
  std::string reference_lost() const;
  /// Texts on which the reference's process ended.
  std::uint64_t reference_deaths() const;

  std::unique_ptr<replay::Driver> take();
  void give(std::unique_ptr<replay::Driver> driver);

 private:
  replay::ReferenceAnswer ask(const std::string& text);

  std::string name_, refusal_;
  std::unique_ptr<cli::ModelPath> path_;
  std::unique_ptr<Tokenizer> tokenizer_;
  replay::DriverOptions driver_options_;
  diff::Question question_;
  mutable std::mutex reference_mutex_, pool_mutex_;
  std::unique_ptr<diff::Engine> reference_;
  diff::EngineIdentity identity_;
  std::string reference_lost_;
  std::uint64_t reference_deaths_ = 0;
  std::vector<std::unique_ptr<replay::Driver>> pool_;
};

}  // namespace toktier::replay_app
