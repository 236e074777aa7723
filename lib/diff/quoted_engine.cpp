#include "diff/quoted_engine.hpp"

#include "diff/digest.hpp"

#include <map>

namespace toktier::diff {
namespace {

class QuotedEngine final : public Engine {
 public:
  QuotedEngine(const std::string& name, const std::vector<Document>& documents) {
    identity_.row = "quoted";
    identity_.name = name;
    identity_.version = "recorded";
    for (const Document& document : documents) {
      if (document.has_quoted) answers_[document.text] = document.quoted;
    }
  }

  const EngineIdentity& identity() const override { return identity_; }
  std::uint32_t can(const AnswerOptions& options) const override {
    return options.add_special ? std::uint32_t{0} : std::uint32_t{kIds};
  }
  void ask(std::span<const std::string_view> texts, const Question&) override { texts_ = texts; }

  void receive(std::vector<Answer>& answers) override {
    answers.assign(texts_.size(), {});
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const auto found = answers_.find(texts_[i]);
      if (found == answers_.end()) {
        answers[i].status = AnswerStatus::died;  // unknown, so neither an answer nor a refusal
        answers[i].error = "no ids recorded for this text";
        continue;
      }
      answers[i].ids = found->second;
      answers[i].id_count = static_cast<std::uint32_t>(found->second.size());
      answers[i].id_digest = digest(answers[i].ids);
    }
  }

  void decode(std::span<const std::vector<TokenId>> lists, std::vector<Decoded>& texts) override {
    texts.assign(lists.size(), {});
    for (Decoded& decoded : texts) decoded.status = AnswerStatus::died;
  }

 private:
  EngineIdentity identity_;
  std::map<std::string, std::vector<TokenId>, std::less<>> answers_;
  std::span<const std::string_view> texts_;
};

}  // namespace

std::unique_ptr<Engine> make_quoted_engine(const std::string& name,
                                           const std::vector<Document>& documents) {
  return std::make_unique<QuotedEngine>(name, documents);
}

}  // namespace toktier::diff
