// Whether tokens are the encoding of their own text, two at a time.
//
// Let BPE(s) be what merging alone makes of s: always the adjacent pair of lowest rank, the
// leftmost of equals. For tokens t1 ... tn with n > 1:
//     BPE(t1 ... tn) = [t1 ... tn]  iff  BPE(ti ti+1) = [ti, ti+1] for every i < n.
// Only if: no merge crosses the borders of ti ti+1 in the whole, so what happens inside is what
// happens to ti ti+1 alone: of the merges inside, the next one is the lowest, leftmost there.
// If: suppose some merge crosses a border, and take the first that does, between ti and ti+1. Until
// then the merges inside ti and ti+1 are those of the run on ti ti+1 alone, so that run makes the
// crossing merge too, against BPE(ti ti+1) = [ti, ti+1]. So none crosses, and each ti comes out of
// its own bytes. Nothing is assumed of the ranks.
// A piece that is a token as a whole, where whole pieces are looked up first, is that token.

#include "bpe/bpe_model.hpp"

namespace toktier::bpe {

bool BpeModel::is_encoding(std::string_view piece, std::span<const TokenId> tokens,
                           Workspace& workspace) const {
  auto& ws = static_cast<BpeWorkspace&>(workspace);
  if (whole_first_) {
    const TokenId whole =
        piece.size() <= WholeTokens::kLongest
            ? whole_.find(PieceCache::short_key(piece.data(), piece.size(), false))
            : whole_piece(piece);
    if (whole != model::kNoToken) return tokens.size() == 1 && tokens[0] == whole;
  }
  constexpr TokenId kAlone = model::kNoToken - 1;  // no id
  const auto merges_to = [&](std::string_view bytes, TokenId left, TokenId right) {
    const std::size_t n = merge_bytes(bytes, ws);
    return n == (right == model::kNoToken ? 1 : 2) && ws.symbols[0] == left &&
           (n == 1 || ws.symbols[1] == right);
  };
  if (tokens.size() == 1) {
    return ws.pairs.ask(tokens[0], kAlone,
                        [&] { return merges_to(piece, tokens[0], model::kNoToken); });
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::size_t left = token_bytes(tokens[i]).size();
    const std::size_t both = left + token_bytes(tokens[i + 1]).size();
    if (!ws.pairs.ask(tokens[i], tokens[i + 1],
                      [&] { return merges_to(piece.substr(at, both), tokens[i], tokens[i + 1]); }))
      return false;
    at += left;
  }
  return true;
}

}  // namespace toktier::bpe
