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

bool can_read_blanks(const model::TokenizerSpec& spec) {
  const auto* bpe = std::get_if<model::Bpe>(&spec.model);
  return bpe != nullptr && bpe->priority == model::Bpe::Priority::list && !bpe->ignore_merges &&
         bpe->continuing_subword_prefix.empty() && bpe->end_of_word_suffix.empty() &&
         spec.vocab.find(kWordMark) != model::kNoToken;
}

std::unique_ptr<Model> compile_model(const model::TokenizerSpec& spec, bool byte_level,
                                     bool blanks_are_marks) {
  return std::visit(
      [&](const auto& m) -> std::unique_ptr<Model> {
        using M = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<M, model::Bpe>) {
          return std::make_unique<BpeModel>(spec, byte_level, blanks_are_marks);
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
