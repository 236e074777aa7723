#include "diff/cpu_engine.hpp"
#include "diff/digest.hpp"

#include <utility>

namespace toktier::diff {
namespace {

bool chosen(std::string_view text) { return text.find('q') != std::string_view::npos; }

class FaultyEngine final : public Engine {
 public:
  FaultyEngine(std::unique_ptr<Engine> engine, Fault fault)
      : engine_(std::move(engine)), fault_(fault) {
    identity_ = engine_->identity();
    identity_.row = "faulty";
  }

  const EngineIdentity& identity() const override { return identity_; }
  std::uint32_t can(const AnswerOptions& options) const override { return engine_->can(options); }

  void ask(std::span<const std::string_view> texts, const Question& question) override {
    texts_ = texts;
    Question full = question;
    full.digest_only = false;  // a digest cannot be made faulty in a known way
    question_ = full;
    engine_->ask(texts, full);
  }

  void receive(std::vector<Answer>& answers) override {
    engine_->receive(answers);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].status == AnswerStatus::ok && chosen(texts_[i])) plant(answers, i);
    }
  }

  void decode(std::span<const std::vector<TokenId>> lists, std::vector<Decoded>& texts) override {
    engine_->decode(lists, texts);
    if (fault_ != Fault::decode) return;
    for (Decoded& decoded : texts) {
      if (chosen(decoded.text)) decoded.text.pop_back();
    }
  }

 private:
  void plant(std::vector<Answer>& answers, std::size_t i) {
    Answer& answer = answers[i];
    switch (fault_) {
      case Fault::id:
        if (!answer.ids.empty()) answer.ids.back() += 1;
        break;
      case Fault::span:
        if (!answer.spans.empty() && answer.spans.back().end > 0) answer.spans.back().end -= 1;
        break;
      case Fault::piece:
        if (!answer.pieces.empty()) answer.pieces.pop_back();
        break;
      case Fault::refuse:
        answer = Answer{};
        answer.status = AnswerStatus::refused;
        answer.error = "planted refusal";
        return;
      case Fault::order:
        if (i + 1 < answers.size()) std::swap(answer, answers[i + 1]);
        return;
      case Fault::decode:
        return;
    }
    answer.piece_count = static_cast<std::uint32_t>(answer.pieces.size());
    answer.id_digest = digest(answer.ids);
    if (question_.parts & kSpans) answer.span_digest = digest(answer.spans);
    if (question_.parts & kPieces) answer.piece_digest = digest(answer.pieces);
  }

  std::unique_ptr<Engine> engine_;
  Fault fault_;
  EngineIdentity identity_;
  std::span<const std::string_view> texts_;
  Question question_;
};

}  // namespace

std::unique_ptr<Engine> make_faulty_engine(std::unique_ptr<Engine> engine, Fault fault) {
  return std::make_unique<FaultyEngine>(std::move(engine), fault);
}

}  // namespace toktier::diff
