#include "decode/text_stages.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::decode {

namespace {

class FuseStage : public Stage {
 public:
  using Stage::Stage;
  void text(std::string_view part) override { next()->text(part); }
  void end_token() override {}
  void finish() override {
    next()->end_token();  // one token even when there was none
    next()->finish();
  }
};

class BlankJoinStage : public Stage {
 public:
  using Stage::Stage;
  void text(std::string_view part) override {
    begin_token();
    next()->text(part);
  }
  void end_token() override {
    begin_token();
    next()->end_token();
    first_ = false;
    begun_ = false;
  }
  void finish() override {
    next()->finish();
    first_ = true;
  }

 private:
  void begin_token() {
    if (!begun_ && !first_) next()->text(" ");
    begun_ = true;
  }
  bool first_ = true;
  bool begun_ = false;
};

/// Holds back only bytes that may be the beginning of a match.
class ReplaceStage : public Stage {
 public:
  ReplaceStage(std::string from, std::string to, Stage* next)
      : Stage(next), from_(std::move(from)), to_(std::move(to)) {}

  void text(std::string_view part) override {
    held_ += part;
    const std::string_view all = held_;
    std::string out;
    std::size_t at = 0;
    for (;;) {
      const std::size_t found = all.find(from_, at);
      if (found == std::string_view::npos) break;
      out += all.substr(at, found - at);
      out += to_;
      at = found + from_.size();
    }
    std::size_t keep = std::min(from_.size() - 1, all.size() - at);
    while (keep > 0 && all.substr(all.size() - keep) != std::string_view(from_).substr(0, keep))
      --keep;
    out += all.substr(at, all.size() - keep - at);
    held_ = std::string(all.substr(all.size() - keep));
    if (!out.empty()) next()->text(out);
  }
  void end_token() override {
    send_token(held_);
    held_.clear();
  }
  void finish() override { next()->finish(); }
  std::size_t held() const override { return held_.size(); }

 private:
  std::string from_;
  std::string to_;
  std::string held_;
};

/// The empty pattern matches before each character and at the end of a token that is not empty.
class InsertStage : public Stage {
 public:
  InsertStage(std::string content, Stage* next) : Stage(next), content_(std::move(content)) {}
  void text(std::string_view part) override {
    std::string out;
    for (std::size_t at = 0; at < part.size();) {
      const std::size_t length = std::min<std::size_t>(
          unicode::sequence_length(static_cast<unsigned char>(part[at])), part.size() - at);
      out += content_;
      out += part.substr(at, length);
      at += length;
    }
    any_ |= !part.empty();
    if (!out.empty()) next()->text(out);
  }
  void end_token() override {
    send_token(any_ ? std::string_view(content_) : std::string_view());
    any_ = false;
  }
  void finish() override { next()->finish(); }

 private:
  std::string content_;
  bool any_ = false;
};

/// Drops up to `start` leading and up to `stop` trailing characters that equal the content; holds
/// back the last ones that may be trailing. The reference fails when both ends claim the same
/// character, or when a token of nothing but the content is shorter than `stop`; so does this
/// stage.
class StripStage : public Stage {
 public:
  StripStage(const model::DecStrip& step, Stage* next, std::string where)
      : Stage(next), start_(step.start), stop_(step.stop), where_(std::move(where)) {
    unicode::append_utf8(content_, step.content);
  }

  void text(std::string_view part) override {
    std::string out;
    for (std::size_t at = 0; at < part.size();) {
      if (part.substr(at, content_.size()) == content_) {
        at += content_.size();
        if (only_content_ && ++count_ <= start_) continue;
        if (held_ < stop_) {
          ++held_;
        } else {
          out += content_;
        }
        continue;
      }
      for (; held_ > 0; --held_) out += content_;
      only_content_ = false;
      const std::size_t length = std::min<std::size_t>(
          unicode::sequence_length(static_cast<unsigned char>(part[at])), part.size() - at);
      out += part.substr(at, length);
      at += length;
    }
    if (!out.empty()) next()->text(out);
  }
  void end_token() override {
    if (only_content_ && stop_ > 0) {
      const bool too_short = count_ < stop_;
      const std::size_t cut = std::min(count_, start_) + std::min(count_, stop_);
      if (too_short || cut > count_) {
        clear();
        throw Error(
            ErrorCode::unsupported,
            "the reference's Strip decoder fails on a token of nothing but the stripped character",
            where_);
      }
    }
    clear();
    next()->end_token();
  }
  void finish() override { next()->finish(); }
  std::size_t held() const override { return held_ * content_.size(); }

 private:
  void clear() {
    only_content_ = true;
    count_ = 0;
    held_ = 0;
  }
  std::string content_;
  std::size_t start_;
  std::size_t stop_;
  std::string where_;
  bool only_content_ = true;
  std::size_t count_ = 0;  // characters so far while only_content_
  std::size_t held_ = 0;   // content characters that may be trailing
};

class MetaspaceStage : public Stage {
 public:
  MetaspaceStage(const model::DecMetaspace& step, Stage* next)
      : Stage(next),
        mark_(step.replacement),
        drop_in_first_(step.prepend_scheme != model::PrependScheme::never) {}
  void text(std::string_view part) override {
    std::string out;
    std::size_t at = 0;
    for (;;) {
      const std::size_t found = part.find(mark_, at);
      if (found == std::string_view::npos) break;
      out += part.substr(at, found - at);
      if (!(first_ && drop_in_first_)) out += ' ';
      at = found + mark_.size();
    }
    out += part.substr(at);
    if (!out.empty()) next()->text(out);
  }
  void end_token() override {
    first_ = false;
    next()->end_token();
  }
  void finish() override {
    first_ = true;
    next()->finish();
  }

 private:
  std::string mark_;
  bool drop_in_first_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Stage> make_fuse_stage(Stage* next) { return std::make_unique<FuseStage>(next); }

std::unique_ptr<Stage> make_blank_join_stage(Stage* next) {
  return std::make_unique<BlankJoinStage>(next);
}

std::unique_ptr<Stage> make_replace_stage(const model::DecReplace& step, Stage* next,
                                          const std::string& where) {
  if (step.pattern.is_regex) {
    // A pattern without any operator is a literal in every dialect.
    const bool plain = !step.pattern.text.empty() &&
                       step.pattern.text.find_first_of("\\^$.|?*+()[]{}") == std::string::npos;
    if (!plain) {
      throw Error(ErrorCode::unsupported,
                  "a decoder that replaces by regular expression (\"" + step.pattern.text + "\")",
                  where + ": decoder.pattern");
    }
  }
  if (step.pattern.text.empty()) return std::make_unique<InsertStage>(step.content, next);
  return std::make_unique<ReplaceStage>(step.pattern.text, step.content, next);
}

std::unique_ptr<Stage> make_strip_stage(const model::DecStrip& step, Stage* next,
                                        const std::string& where) {
  return std::make_unique<StripStage>(step, next, where);
}

std::unique_ptr<Stage> make_metaspace_stage(const model::DecMetaspace& step, Stage* next) {
  return std::make_unique<MetaspaceStage>(step, next);
}

}  // namespace toktier::decode
