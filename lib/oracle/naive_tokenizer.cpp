#include "oracle/naive_tokenizer.hpp"

#include "normalize/normalizer.hpp"
#include "oracle/naive_added.hpp"
#include "oracle/naive_models.hpp"
#include "oracle/naive_steps.hpp"
#include "oracle/naive_text.hpp"
#include "oracle/split_oracle.hpp"
#include "toktier/error.hpp"
#include "unicode/aligned_text.hpp"
#include "unicode/utf8.hpp"

#include <utility>

namespace toktier::oracle {

namespace {

// The matches of a Replace normalizer's pattern, by the split oracle.
class OracleFinder final : public normalize::RegexFinder {
 public:
  explicit OracleFinder(const std::string& pattern)
      : oracle_({matches_only(pattern)}, model::Reference::hf_tokenizers) {}

  bool find(std::string_view text, std::uint32_t from, Span* match) const override {
    // Matches are those of one walk over the whole text, so that each sees what is before it.
    const auto matches = oracle_.split(text);
    if (!matches) throw NotCovered("the regex oracle gave up in a Replace normalizer");
    for (const Span& m : *matches) {
      if (m.begin < from) continue;
      *match = m;
      return true;
    }
    return false;
  }

 private:
  static model::PreTokenizer matches_only(const std::string& pattern) {
    return model::PreSplit{{true, pattern}, model::SplitBehavior::removed, true};
  }
  SplitOracle oracle_;
};

normalize::Normalizer make_normalizer(const model::TokenizerSpec& spec) {
  normalize::CompileOptions options;
  options.regex = [](const std::string& pattern) {
    return std::make_unique<OracleFinder>(pattern);
  };
  if (spec.reference == model::Reference::sentencepiece) {
    for (TokenId id = 0; id < spec.piece_types.size(); ++id) {
      if (spec.piece_types[id] == model::PieceType::user_defined)
        options.kept_literals.emplace_back(spec.vocab[id]);
    }
  }
  return normalize::Normalizer::compile(spec.normalizers, spec.reference, options);
}

NaiveText normalized(const normalize::Normalizer& normalizer, std::string_view document,
                     std::size_t begin, std::size_t end) {
  unicode::AlignedText text;
  text.reset(document.substr(begin, end - begin), static_cast<std::uint32_t>(begin), true);
  normalizer.run(text);
  return naive_text(text, end - begin);
}

}  // namespace

struct NaiveTokenizer::Impl {
  explicit Impl(const model::TokenizerSpec& spec)
      : normalizer(make_normalizer(spec)),
        added(spec,
              [this](const std::string& content) {
                return normalized(normalizer, content, 0, content.size()).text;
              }),
        model(make_naive_model(spec)) {
    for (const model::PreTokenizer& step : spec.pre_tokenizers)
      steps.push_back(make_naive_step(step, spec.reference));
  }

  static void put_token(TokenId id, const NaiveText& token, NaiveAnswer& answer) {
    const Span span = original(token, 0, token.text.size());
    answer.ids.push_back(id);
    answer.spans.push_back(span);
    answer.texts.push_back(token.text);
    answer.pieces.push_back(span);
  }

  void plain(NaiveText text, NaiveAnswer& answer) const {
    std::vector<NaiveText> pieces;
    pieces.push_back(std::move(text));
    for (const auto& step : steps) {
      std::vector<NaiveText> next;
      for (const NaiveText& piece : pieces)
        if (!piece.text.empty()) step->run(piece, next);
      pieces = std::move(next);
    }
    std::vector<NaiveToken> tokens;
    for (const NaiveText& piece : pieces) {
      if (piece.text.empty()) continue;
      answer.pieces.push_back(original(piece, 0, piece.text.size()));
      tokens.clear();
      model->encode(piece, tokens);
      for (NaiveToken& token : tokens) {
        answer.ids.push_back(token.id);
        answer.spans.push_back(token.span);
        answer.texts.push_back(std::move(token.text));
      }
    }
  }

  normalize::Normalizer normalizer;
  NaiveAdded added;
  std::vector<std::unique_ptr<NaiveStep>> steps;
  std::unique_ptr<NaiveModel> model;
};

NaiveTokenizer::NaiveTokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NaiveTokenizer::NaiveTokenizer(NaiveTokenizer&&) noexcept = default;
NaiveTokenizer& NaiveTokenizer::operator=(NaiveTokenizer&&) noexcept = default;
NaiveTokenizer::~NaiveTokenizer() = default;

NaiveTokenizer NaiveTokenizer::compile(const model::TokenizerSpec& spec) {
  return NaiveTokenizer(std::make_unique<Impl>(spec));
}

NaiveAnswer NaiveTokenizer::encode(std::string_view text, const NaiveOptions& options) const {
  if (text.size() > kMaxDocumentBytes)
    throw Error(ErrorCode::input, "naive: the document is too long");
  if (unicode::find_invalid_utf8(text))
    throw Error(ErrorCode::input, "naive: the text is not UTF-8");
  NaiveAnswer answer;
  const auto split = [&](std::string_view part, bool normalized_pass) {
    return impl_->added.split(part, normalized_pass, options.special, options.special_list);
  };
  for (const NaiveStretch& raw : split(text, false)) {
    if (raw.is_token) {
      Impl::put_token(raw.id, naive_text(text, raw.begin, raw.end), answer);
      continue;
    }
    const NaiveText part = normalized(impl_->normalizer, text, raw.begin, raw.end);
    for (const NaiveStretch& s : split(part.text, true)) {
      if (s.is_token)
        Impl::put_token(s.id, slice(part, s.begin, s.end), answer);
      else
        impl_->plain(slice(part, s.begin, s.end), answer);
    }
  }
  return answer;
}

}  // namespace toktier::oracle
