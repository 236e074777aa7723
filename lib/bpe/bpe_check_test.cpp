// Tokens that are, or are not, the encoding of their text, told by neighbours.

#include "bpe/model.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace toktier;

namespace {

// Every byte, then some tokens; no two tokens make "cax".
model::TokenizerSpec spec_of(bool whole_pieces_first) {
  model::TokenizerSpec spec;
  spec.kind = model::FileKind::tiktoken;
  spec.reference = model::Reference::tiktoken;
  model::Bpe bpe;
  bpe.priority = model::Bpe::Priority::ranks;
  bpe.ignore_merges = whole_pieces_first;
  for (TokenId b = 0; b < 256; ++b) spec.vocab.add(b, std::string(1, static_cast<char>(b)));
  for (const char* text : {"bc", "ab", "abc", "cax", "aab"})
    spec.vocab.add(spec.vocab.end_id(), text);
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id) bpe.rank.push_back(id);
  spec.vocab.index();
  spec.model = bpe;
  return spec;
}

}  // namespace

TEST_CASE("tokens are the encoding of a piece when the model gives them, and not else") {
  for (const bool whole : {false, true}) {
    const model::TokenizerSpec spec = spec_of(whole);
    const auto model = bpe::compile_model(spec, false);
    REQUIRE(model->checks_tokens());
    const auto workspace = model->workspace(1 << 16);
    std::mt19937 random(1);
    std::size_t yes = 0, no = 0;
    for (int i = 0; i < 20000; ++i) {
      std::vector<TokenId> tokens;
      std::string piece;
      for (auto n = 1 + random() % 5; n > 0; --n) {
        const TokenId choices[] = {'a', 'b', 'c', 'x', 256, 257, 258, 259, 260};
        tokens.push_back(choices[random() % std::size(choices)]);
        piece += model->token_bytes(tokens.back());
      }
      std::vector<TokenId> ids;
      {
        bpe::TokenSink sink(ids, nullptr);
        const auto end = static_cast<std::uint32_t>(piece.size());
        model->encode(piece, 0, {&end, 1}, *workspace, sink);
      }
      const bool told = model->is_encoding(piece, tokens, *workspace);
      REQUIRE(told == (ids == tokens));
      (told ? yes : no) += 1;
    }
    CHECK(yes > 500);
    CHECK(no > 5000);
  }
}
