#include "bpe/model.hpp"

#include "bpe/bpe_model.hpp"
#include "bpe/unigram_model.hpp"
#include "bpe/word_models.hpp"

#include <type_traits>

namespace toktier::bpe {

void Model::put_literal(TokenId id, Workspace&, TokenSink& out) const {
  out.reserve(1);
  out.put(id, 0);
}

std::unique_ptr<Model> compile_model(const model::TokenizerSpec& spec, bool byte_level) {
  return std::visit(
      [&](const auto& m) -> std::unique_ptr<Model> {
        using M = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<M, model::Bpe>) {
          return std::make_unique<BpeModel>(spec, byte_level);
        } else if constexpr (std::is_same_v<M, model::Unigram>) {
          return std::make_unique<UnigramModel>(spec);
        } else if constexpr (std::is_same_v<M, model::WordPiece>) {
          return std::make_unique<WordPieceModel>(spec);
        } else {
          return std::make_unique<WordLevelModel>(spec);
        }
      },
      spec.model);
}

}  // namespace toktier::bpe
