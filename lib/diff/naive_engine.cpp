#include "diff/naive_engine.hpp"

#include "added/added_table.hpp"
#include "diff/digest.hpp"
#include "model/embedded.hpp"
#include "oracle/naive_text.hpp"
#include "oracle/naive_tokenizer.hpp"
#include "post/post_processor.hpp"
#include "toktier/error.hpp"
#include "unicode/profile.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace toktier::diff {
namespace {

std::string unicode_of(const unicode::RegexProfile& profile) {
  return fmt::format("{} ({})", profile.unicode_version, profile.name);
}

class NaiveEngine final : public Engine {
 public:
  explicit NaiveEngine(const model::TokenizerSpec& spec)
      : twin_(oracle::NaiveTokenizer::compile(spec)),
        post_(post::PostProcessor::compile(spec, added::AddedTable::build(spec, nullptr))) {
    identity_.row = "naive";
    identity_.name = "toktier slow twin";
    identity_.version = TOKTIER_VERSION;
    identity_.fingerprint = "sha256:" + spec.fingerprint;
    if (spec.reference == model::Reference::hf_tokenizers)
      identity_.unicode = unicode_of(unicode::onig_profile());
    if (spec.reference == model::Reference::tiktoken)
      identity_.unicode = unicode_of(unicode::tiktoken_profile());
    identity_.end_id = spec.vocab.end_id();
    for (const model::AddedToken& token : spec.added_tokens)
      identity_.end_id = std::max(identity_.end_id, token.id + 1);
  }

  const EngineIdentity& identity() const override { return identity_; }
  std::uint32_t can(const AnswerOptions&) const override { return kIds | kSpans | kPieces; }

  void ask(std::span<const std::string_view> texts, const Question& question) override {
    texts_ = texts;
    question_ = question;
  }

  void receive(std::vector<Answer>& answers) override {
    answers.assign(texts_.size(), {});
    for (std::size_t i = 0; i < texts_.size(); ++i) encode(texts_[i], answers[i]);
  }

  void decode(std::span<const std::vector<TokenId>>, std::vector<Decoded>&) override {
    throw Error(ErrorCode::internal, "the slow twin does not decode");
  }

 private:
  void encode(std::string_view text, Answer& answer) const {
    try {
      oracle::NaiveOptions options;
      options.special = question_.options.special;
      oracle::NaiveAnswer found = twin_.encode(text, options);
      std::vector<post::TokenText> texts;
      for (std::size_t i = 0; i < found.texts.size(); ++i) texts.push_back({i, found.texts[i]});
      post::PostOptions post;
      post.add_special = question_.options.add_special;
      post.limits = question_.options.truncate;
      post_.run(text, texts, post, found.ids, &found.spans);
      answer.ids = std::move(found.ids);
      answer.spans = std::move(found.spans);
      answer.pieces = std::move(found.pieces);
    } catch (const oracle::NotCovered& reason) {
      answer.status = AnswerStatus::not_covered;
      answer.error = reason.what();
      return;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      answer.status =
          unicode::find_invalid_utf8(text) ? AnswerStatus::invalid_text : AnswerStatus::refused;
      answer.error = error.what();
      return;
    }
    answer.id_count = static_cast<std::uint32_t>(answer.ids.size());
    answer.piece_count = static_cast<std::uint32_t>(answer.pieces.size());
    answer.id_digest = digest(answer.ids);
    if (question_.parts & kSpans) answer.span_digest = digest(answer.spans);
    if (question_.parts & kPieces) answer.piece_digest = digest(answer.pieces);
  }

  oracle::NaiveTokenizer twin_;
  post::PostProcessor post_;
  EngineIdentity identity_;
  std::span<const std::string_view> texts_;
  Question question_;
};

}  // namespace

std::unique_ptr<Engine> make_naive_engine(const model::TokenizerSpec& spec) {
  return std::make_unique<NaiveEngine>(spec);
}

std::unique_ptr<Engine> make_naive_engine(const std::string& model) {
  if (model == "embedded")
    return make_naive_engine(model::load_bytes(model::embedded_gpt2(), "embedded"));
  return make_naive_engine(model::load(model));
}

}  // namespace toktier::diff
