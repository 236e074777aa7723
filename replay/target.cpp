#include "replay/target.hpp"

#include <algorithm>
#include <string>

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

class WholeEncodes final : public Target {
 public:
  WholeEncodes(const Tokenizer& tokenizer, EncodeOptions options)
      : tokenizer_(tokenizer), options_(std::move(options)) {}

  Patch append(std::string_view text, Scratch& scratch) override {
    text_ += text;
    return encode(text.size(), scratch);
  }
  Patch edit(std::size_t begin, std::size_t end, std::string_view text, Scratch& scratch) override {
    text_.replace(begin, end - begin, text);
    return encode(text.size(), scratch);
  }
  Patch update(std::string_view full, Scratch& scratch) override {
    text_ = full;
    return encode(full.size(), scratch);
  }
  Patch rewind(std::size_t bytes, Scratch& scratch) override {
    text_.resize(bytes);
    return encode(0, scratch);
  }
  std::unique_ptr<Target> fork() const override { return std::make_unique<WholeEncodes>(*this); }
  std::size_t tokens() const override { return now_.ids.size(); }
  std::vector<TokenId> snapshot() const override { return now_.ids; }
  const SessionStatistics& statistics() const override { return statistics_; }
  std::size_t memory() const override {
    return text_.capacity() + now_.ids.capacity() * sizeof(TokenId);
  }

 private:
  Patch encode(std::size_t given, Scratch& scratch) {
    std::swap(before_, now_);
    tokenizer_.encode(text_, options_, scratch, now_);
    ++statistics_.changes;
    statistics_.bytes_given += given;
    statistics_.bytes_encoded += text_.size();
    statistics_.tokens_encoded += now_.ids.size();
    Patch patch;
    const auto at =
        std::mismatch(before_.ids.begin(), before_.ids.end(), now_.ids.begin(), now_.ids.end());
    patch.keep_tokens = static_cast<std::size_t>(at.first - before_.ids.begin());
    patch.ids.assign(at.second, now_.ids.end());
    return patch;
  }

  const Tokenizer& tokenizer_;
  EncodeOptions options_;
  std::string text_;
  Encoding before_, now_;
  SessionStatistics statistics_;
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

TargetMaker whole_encodes(const Tokenizer& tokenizer, const EncodeOptions& options) {
  return [&tokenizer, options] { return std::make_unique<WholeEncodes>(tokenizer, options); };
}

void carry_out(const WorkStep& step, Target& target, Tokenizer::Scratch& scratch,
               std::vector<Patch>& patches) {
  switch (step.op) {
    case WorkOp::open:
    case WorkOp::append:
      patches.push_back(target.append(step.text, scratch));
      break;
    case WorkOp::edit:
      patches.push_back(target.edit(step.begin, step.end, step.text, scratch));
      break;
    case WorkOp::replace:
      patches.push_back(target.update(step.text, scratch));
      break;
    case WorkOp::rewind:
      patches.push_back(target.rewind(step.begin, scratch));
      break;
    case WorkOp::fork:
      patches.push_back(target.rewind(step.begin, scratch));
      patches.push_back(target.append(step.text, scratch));
      break;
    case WorkOp::close:
      break;
  }
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
