#include "diff/cpu_engine.hpp"

#include "diff/digest.hpp"
#include "unicode/utf8.hpp"

namespace toktier::diff {
namespace {

class CpuEngine final : public Engine {
 public:
  explicit CpuEngine(std::shared_ptr<const Tokenizer> tokenizer)
      : tokenizer_(std::move(tokenizer)), scratch_(*tokenizer_) {
    const TokenizerInfo& info = tokenizer_->info();
    identity_.row = "cpu";
    identity_.name = "toktier";
    identity_.version = TOKTIER_VERSION;
    identity_.unicode = info.unicode;
    identity_.fingerprint = info.fingerprint;
    identity_.kind = info.kind;
    identity_.end_id = tokenizer_->end_id();
  }

  const EngineIdentity& identity() const override { return identity_; }
  std::uint32_t can(const AnswerOptions&) const override {
    return kIds | kSpans | kPieces | kDecode;
  }

  void ask(std::span<const std::string_view> texts, const Question& question) override {
    texts_ = texts;
    question_ = question;
  }

  void receive(std::vector<Answer>& answers) override {
    EncodeOptions options;
    options.special = question_.options.special;
    options.add_special = question_.options.add_special;
    options.truncate = question_.options.truncate;
    options.want_spans = (question_.parts & kSpans) != 0;
    options.want_pieces = (question_.parts & kPieces) != 0;
    answers.resize(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      answers[i] = Answer{};
      encode(texts_[i], options, answers[i]);
    }
  }

  void decode(std::span<const std::vector<TokenId>> lists, std::vector<Decoded>& texts) override {
    texts.assign(lists.size(), {});
    for (std::size_t i = 0; i < lists.size(); ++i) {
      try {
        texts[i].text = tokenizer_->decode(lists[i], false);
      } catch (const Error& error) {
        texts[i].status = AnswerStatus::refused;
        texts[i].error = error.what();
      }
    }
  }

 private:
  void encode(std::string_view text, const EncodeOptions& options, Answer& answer) {
    try {
      tokenizer_->encode(text, options, scratch_, encoding_);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      answer.status =
          unicode::find_invalid_utf8(text) ? AnswerStatus::invalid_text : AnswerStatus::refused;
      answer.error = error.what();
      return;
    }
    answer.ids = std::move(encoding_.ids);
    answer.spans = std::move(encoding_.spans);
    answer.pieces = std::move(encoding_.pieces);
    if (options.want_spans || options.want_pieces) ids_alone(text, options, answer);
    answer.id_count = static_cast<std::uint32_t>(answer.ids.size());
    answer.piece_count = static_cast<std::uint32_t>(answer.pieces.size());
    answer.id_digest = digest(answer.ids);
    if (options.want_spans) answer.span_digest = digest(answer.spans);
    if (options.want_pieces) answer.piece_digest = digest(answer.pieces);
  }

  // Ids alone go other ways than ids with spans: the answer holds those that come out alone, and no
  // spans where the two differ.
  void ids_alone(std::string_view text, EncodeOptions options, Answer& answer) {
    options.want_spans = options.want_pieces = false;
    tokenizer_->encode(text, options, scratch_, encoding_);
    if (encoding_.ids == answer.ids) return;
    answer.ids = std::move(encoding_.ids);
    answer.spans.clear();
    answer.pieces.clear();
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
  Tokenizer::Scratch scratch_;
  Encoding encoding_;
  EngineIdentity identity_;
  std::span<const std::string_view> texts_;
  Question question_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(std::shared_ptr<const Tokenizer> tokenizer) {
  return std::make_unique<CpuEngine>(std::move(tokenizer));
}

}  // namespace toktier::diff
