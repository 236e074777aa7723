// Places inside a piece that its encoding never crosses: a cut (cut_table.hpp), seen from a stretch
// of the piece alone.

#include "bpe/bpe_model.hpp"
#include "unicode/utf8.hpp"

namespace toktier::bpe {

std::optional<std::size_t> BpeModel::parts_reach() const {
  // A piece that is a token is that token, however it would merge.
  if (!cuts_ || bpe_.ignore_merges) return std::nullopt;
  return std::max(user_defined_.longest(), std::size_t{4});
}

bool BpeModel::parts_at(std::string_view text, std::size_t at, Workspace& workspace) const {
  auto& ws = static_cast<BpeWorkspace&>(workspace);
  std::size_t before = at - 1;
  while ((static_cast<unsigned char>(text[before]) & 0xC0) == 0x80) --before;
  const unicode::Decoded x = unicode::decode(text.data() + before);
  const unicode::Decoded y = unicode::decode(text.data() + at);
  if (!cut_.safe(x.code_point, y.code_point, ws.memo)) return false;
  if (bytes_) return true;
  // As next_character_cuts(): unknown neighbours may fuse or change places. In a .model file what
  // is no piece in the end is unknown; without byte pieces such neighbours fuse.
  const auto known = [&](std::size_t begin, std::size_t length) {
    const Symbol symbol = character_symbol(text.substr(begin, length));
    return sentencepiece_ ? symbol < vocab_.end_id() : symbol != kUnknownSymbol;
  };
  const bool fuses = sentencepiece_ ? !bpe_.byte_fallback : !never_unknown_;
  if (fuses) {
    const bool left = known(before, x.length), right = known(at, y.length);
    if (!sentencepiece_ && unk_ == model::kNoToken ? !left || !right : !left && !right)
      return false;
  }
  return !user_defined_.crosses(text, at);
}

}  // namespace toktier::bpe
