#include "model/rank_table.hpp"

#include <fmt/format.h>

namespace toktier::model {

void RankTable::fail_entry(TokenId id, const std::string& place) {
  if (id > kMaxTokenId) {
    fail_input(context_, place, fmt::format("rank {} is above the limit of {}", id, kMaxTokenId));
  }
  fail_input(context_, place, fmt::format("rank {} occurs twice; the reference panics on it", id));
}

void RankTable::finish(std::string pattern, std::string field, TokenId shift) {
  spec_.reference = Reference::tiktoken;
  spec_.specials_by_default = false;
  spec_.vocab.index();
  if (spec_.vocab.distinct() < spec_.vocab.size()) {
    fail_input(context_, "", "a token occurs with two ranks; the reference panics on it");
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (spec_.vocab.find(std::string_view(&c, 1)) == kNoToken) {
      fail_input(context_, "",
                 fmt::format("byte 0x{:02X} has no rank, so not every text can be encoded", byte));
    }
  }
  Bpe bpe;
  bpe.priority = Bpe::Priority::ranks;
  bpe.ignore_merges = true;
  bpe.rank.resize(spec_.vocab.end_id());
  for (TokenId id = 0; id < spec_.vocab.end_id(); ++id) bpe.rank[id] = id < shift ? 0 : id - shift;
  spec_.model = std::move(bpe);
  spec_.pre_tokenizers = {
      PreSplit{{true, std::move(pattern), std::move(field)}, SplitBehavior::isolated, false}};
  spec_.decoders = {DecRawBytes{}};
}

void RankTable::add_special(std::string_view content, std::uint64_t id, const std::string& place) {
  if (id > kMaxTokenId) {
    fail_input(context_, place, fmt::format("id {} is above the limit of {}", id, kMaxTokenId));
  }
  if (content.empty()) fail_input(context_, place, "a special token with no text");
  AddedToken token;
  token.id = static_cast<TokenId>(id);
  token.content = content;
  token.special = true;
  spec_.added_tokens.push_back(std::move(token));
}

}  // namespace toktier::model
