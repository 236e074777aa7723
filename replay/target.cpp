#include "replay/target.hpp"

namespace toktier::replay {
namespace {

class SessionTarget final : public Target {
 public:
  explicit SessionTarget(toktier::Session session) : session_(std::move(session)) {}

  Patch append(std::string_view text, Scratch& scratch) override {
    return session_.append(text, &scratch);
  }
  Patch edit(std::size_t begin, std::size_t end, std::string_view text, Scratch& scratch) override {
    return session_.edit(begin, end, text, &scratch);
  }
  Patch update(std::string_view full, Scratch& scratch) override {
    return session_.update(full, &scratch);
  }
  Patch rewind(std::size_t bytes, Scratch& scratch) override {
    return session_.rewind(bytes, &scratch);
  }
  std::unique_ptr<Target> fork() const override {
    return std::make_unique<SessionTarget>(session_.fork());
  }
  std::size_t tokens() const override { return session_.tokens(); }
  std::vector<TokenId> snapshot() const override { return session_.snapshot(); }
  const SessionStatistics& statistics() const override { return session_.statistics(); }
  std::size_t memory() const override { return session_.memory(); }

 private:
  toktier::Session session_;
};

class FaultyTarget final : public Target {
 public:
  FaultyTarget(std::unique_ptr<Target> sound, Planted fault, unsigned calls)
      : sound_(std::move(sound)), fault_(fault), calls_(calls) {}

  Patch append(std::string_view text, Scratch& scratch) override {
    const std::size_t before = sound_->tokens();
    Patch patch = sound_->append(text, scratch);
    wrong_ = ++calls_ > 2 && !patch.ids.empty();
    if (!wrong_) return patch;
    if (fault_ == Planted::keep && patch.keep_tokens < before) ++patch.keep_tokens;
    if (fault_ == Planted::id) ++patch.ids.back();
    return patch;
  }
  Patch edit(std::size_t begin, std::size_t end, std::string_view text, Scratch& scratch) override {
    return sound_->edit(begin, end, text, scratch);
  }
  Patch update(std::string_view full, Scratch& scratch) override {
    return sound_->update(full, scratch);
  }
  Patch rewind(std::size_t bytes, Scratch& scratch) override {
    return sound_->rewind(bytes, scratch);
  }
  std::unique_ptr<Target> fork() const override {
    return std::make_unique<FaultyTarget>(sound_->fork(), fault_, calls_);
  }
  std::size_t tokens() const override { return sound_->tokens(); }
  std::vector<TokenId> snapshot() const override {
    std::vector<TokenId> ids = sound_->snapshot();
    if (wrong_ && !ids.empty() && fault_ == Planted::id) ++ids.back();
    if (wrong_ && !ids.empty() && fault_ == Planted::snapshot) ids.pop_back();
    return ids;
  }
  const SessionStatistics& statistics() const override { return sound_->statistics(); }
  std::size_t memory() const override { return sound_->memory(); }

 private:
  std::unique_ptr<Target> sound_;
  Planted fault_;
  unsigned calls_;
  bool wrong_ = false;
};

}  // namespace

TargetMaker session_targets(const Tokenizer& tokenizer, const SessionOptions& options) {
  return [&tokenizer, options] {
    return std::make_unique<SessionTarget>(toktier::Session(tokenizer, options));
  };
}

std::optional<Planted> planted_named(std::string_view name) {
  if (name == "keep") return Planted::keep;
  if (name == "id") return Planted::id;
  if (name == "snapshot") return Planted::snapshot;
  return std::nullopt;
}

TargetMaker with_fault(TargetMaker sound, Planted fault) {
  return [sound = std::move(sound), fault] {
    return std::make_unique<FaultyTarget>(sound(), fault, 0);
  };
}

}  // namespace toktier::replay
