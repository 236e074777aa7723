// What an unknown character costs: 10 less than the lowest score. Expected tokens are those of
// tokenizers 0.23.3 (Unigram without a pre-tokenizer); SentencePiece has the same rule.

#include "bpe/model.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace toktier::bpe {

namespace {

// "w" is no token, so "awcb" is awc, b or a, w, cb.
model::TokenizerSpec small_unigram(double shift) {
  model::TokenizerSpec spec;
  model::Unigram unigram;
  const std::vector<std::pair<const char*, double>> entries = {
      {"<unk>", -1}, {"a", 0}, {"b", -5}, {"c", -1}, {"awc", -5}, {"cb", 0}};
  for (const auto& [text, score] : entries) {
    REQUIRE(spec.vocab.add(static_cast<TokenId>(spec.vocab.end_id()), text));
    unigram.score.push_back(score);
  }
  unigram.score[4] += shift;  // of "awc", the lowest from then on
  unigram.unk_id = 0;
  spec.model = unigram;
  spec.vocab.index();
  return spec;
}

std::vector<TokenId> encode(const model::TokenizerSpec& spec, const std::string& text) {
  const auto model = compile_model(spec, false);
  const auto workspace = model->workspace(0);
  const auto end = static_cast<std::uint32_t>(text.size());
  std::vector<TokenId> ids;
  {
    TokenSink sink(ids, nullptr);
    model->encode(text, 0, {&end, 1}, *workspace, sink);
    model->finish(*workspace, sink);
  }
  return ids;
}

}  // namespace

TEST_CASE("an unknown character costs ten less than the lowest score") {
  for (const bool sentencepiece : {false, true}) {
    CAPTURE(sentencepiece);
    const auto ids = [&](double shift, double b, const char* text) {
      model::TokenizerSpec spec = small_unigram(shift);
      std::get<model::Unigram>(spec.model).score[2] = b;
      if (sentencepiece) spec.reference = model::Reference::sentencepiece;
      return encode(spec, text);
    };
    const std::vector<TokenId> known = {4, 2}, unknown = {1, 0, 5};
    CHECK(ids(0, -5, "awcb") == known);
    // awc, b against a, w, cb: the lowest is that of awc, so the two part where b costs ten.
    CHECK(ids(-10, -9.5, "awcb") == known);
    CHECK(ids(-10, -10.5, "awcb") == unknown);
    CHECK(ids(0, -5, "w") == std::vector<TokenId>{0});
  }
}

}  // namespace toktier::bpe
