// WordPiece and WordLevel, which model a spec asks for, and what all models share.

#include "oracle/naive_models.hpp"
#include "toktier/error.hpp"

#include <variant>

namespace toktier::oracle {

namespace {

class WordPiece final : public NaiveModel {
 public:
  explicit WordPiece(const model::TokenizerSpec& spec)
      : word_(std::get<model::WordPiece>(spec.model)), ids_(naive_ids(spec)) {}

  void encode(const NaiveText& piece, std::vector<NaiveToken>& out) const override {
    const std::vector<std::string> all = characters(piece.text);
    std::vector<NaiveToken> found;
    if (all.size() > word_.max_input_chars_per_word || !longest_first(piece, all, found)) {
      const auto unknown = ids_.find(word_.unk_token);
      if (unknown == ids_.end())
        throw Error(ErrorCode::input, "naive: the unknown token is not in the vocabulary");
      found = {{unknown->second, original(piece, 0, piece.text.size()), word_.unk_token}};
    }
    out.insert(out.end(), found.begin(), found.end());
  }

 private:
  bool longest_first(const NaiveText& piece, const std::vector<std::string>& all,
                     std::vector<NaiveToken>& out) const {
    std::size_t at = 0;
    for (std::size_t first = 0; first < all.size();) {
      std::size_t count = all.size() - first;
      std::string body, name;
      for (; count > 0; --count) {
        body.clear();
        for (std::size_t i = first; i < first + count; ++i) body += all[i];
        name = first > 0 ? word_.continuing_subword_prefix + body : body;
        if (ids_.count(name) != 0) break;
      }
      if (count == 0) return false;
      out.push_back({ids_.at(name), original(piece, at, at + body.size()), name});
      at += body.size();
      first += count;
    }
    return true;
  }

  model::WordPiece word_;
  NaiveIds ids_;
};

class WordLevel final : public NaiveModel {
 public:
  explicit WordLevel(const model::TokenizerSpec& spec)
      : word_(std::get<model::WordLevel>(spec.model)), ids_(naive_ids(spec)) {}

  void encode(const NaiveText& piece, std::vector<NaiveToken>& out) const override {
    auto found = ids_.find(piece.text);
    if (found == ids_.end()) found = ids_.find(word_.unk_token);
    if (found == ids_.end())
      throw Error(ErrorCode::input, "naive: the unknown token is not in the vocabulary");
    out.push_back({found->second, original(piece, 0, piece.text.size()), found->first});
  }

 private:
  model::WordLevel word_;
  NaiveIds ids_;
};

}  // namespace

NaiveIds naive_ids(const model::TokenizerSpec& spec) {
  NaiveIds ids;
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id)
    if (spec.vocab.has(id)) ids[std::string(spec.vocab[id])] = id;
  return ids;
}

std::string byte_piece(unsigned char byte) {
  const char* const digits = "0123456789ABCDEF";
  return std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">";
}

std::unique_ptr<NaiveModel> make_naive_wordpiece(const model::TokenizerSpec& spec) {
  return std::make_unique<WordPiece>(spec);
}

std::unique_ptr<NaiveModel> make_naive_wordlevel(const model::TokenizerSpec& spec) {
  return std::make_unique<WordLevel>(spec);
}

std::unique_ptr<NaiveModel> make_naive_model(const model::TokenizerSpec& spec) {
  const bool sentencepiece = spec.reference == model::Reference::sentencepiece;
  if (const auto* bpe = std::get_if<model::Bpe>(&spec.model)) {
    switch (bpe->priority) {
      case model::Bpe::Priority::list:
        return make_naive_list_bpe(spec);
      case model::Bpe::Priority::ranks:
        return make_naive_rank_bpe(spec);
      case model::Bpe::Priority::scores:
        return make_naive_sentencepiece_bpe(spec);
    }
  }
  if (std::holds_alternative<model::Unigram>(spec.model))
    return sentencepiece ? make_naive_sentencepiece_unigram(spec) : make_naive_unigram(spec);
  if (std::holds_alternative<model::WordPiece>(spec.model)) return make_naive_wordpiece(spec);
  return make_naive_wordlevel(spec);
}

}  // namespace toktier::oracle
