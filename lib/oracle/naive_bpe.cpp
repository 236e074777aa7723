// BPE by the textbook: write the piece as symbols, then merge the best adjacent pair until none is
// left. Best: smallest rank, leftmost among equals.

#include "oracle/naive_models.hpp"
#include "toktier/error.hpp"

#include <algorithm>
#include <utility>

namespace toktier::oracle {

namespace {

constexpr std::uint32_t kNoRank = 0xFFFFFFFF;

void check_length(const NaiveText& piece) {
  if (piece.text.size() > kLongestNaivePiece)
    throw NotCovered("a piece longer than the textbook loop is asked for");
}

struct PairHash {
  std::size_t operator()(const std::pair<std::string, std::string>& p) const {
    return std::hash<std::string>()(p.first) * 31 + std::hash<std::string>()(p.second);
  }
};

struct Symbol {
  std::string text;  // the token's
  TokenId id = 0;
  std::size_t bytes = 0;  // of the piece
};

class ListBpe final : public NaiveModel {
 public:
  explicit ListBpe(const model::TokenizerSpec& spec)
      : bpe_(std::get<model::Bpe>(spec.model)), ids_(naive_ids(spec)) {
    for (std::uint32_t i = 0; i < bpe_.merges.size(); ++i) {
      const model::Merge& m = bpe_.merges[i];
      // A pair listed twice keeps its last rank.
      ranks_[{std::string(spec.vocab[m.left]), std::string(spec.vocab[m.right])}] = i;
    }
  }

  void encode(const NaiveText& piece, std::vector<NaiveToken>& out) const override {
    const std::string& text = piece.text;
    if (bpe_.ignore_merges) {
      if (const auto found = ids_.find(text); found != ids_.end()) {
        out.push_back({found->second, original(piece, 0, text.size()), text});
        return;
      }
    }
    check_length(piece);
    std::vector<Symbol> symbols = first_symbols(text);
    merge(symbols);
    std::size_t at = 0;
    for (const Symbol& s : symbols) {
      out.push_back({s.id, original(piece, at, at + s.bytes), s.text});
      at += s.bytes;
    }
  }

 private:
  // An unknown character is held back until the next KNOWN one: byte tokens overtake it.
  std::vector<Symbol> first_symbols(const std::string& text) const {
    std::vector<Symbol> symbols;
    std::vector<Symbol> held;  // none or one
    const std::vector<std::string> all = characters(text);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::string s = all[i];
      if (i > 0) s = bpe_.continuing_subword_prefix + s;
      if (i + 1 == all.size()) s += bpe_.end_of_word_suffix;
      if (const auto found = ids_.find(s); found != ids_.end()) {
        symbols.insert(symbols.end(), held.begin(), held.end());
        held.clear();
        symbols.push_back({s, found->second, all[i].size()});
        continue;
      }
      if (bpe_.byte_fallback && as_bytes(s, symbols)) continue;
      if (!bpe_.unk_token) continue;  // the character is lost
      if (!held.empty() && bpe_.fuse_unk) {
        held[0].bytes += all[i].size();
        continue;
      }
      symbols.insert(symbols.end(), held.begin(), held.end());
      const auto unknown = ids_.find(*bpe_.unk_token);
      if (unknown == ids_.end())
        throw Error(ErrorCode::input, "naive: the unknown token is not in the vocabulary");
      held = {{*bpe_.unk_token, unknown->second, all[i].size()}};
    }
    symbols.insert(symbols.end(), held.begin(), held.end());
    return symbols;
  }

  // All bytes or none, affixes included.
  bool as_bytes(const std::string& s, std::vector<Symbol>& symbols) const {
    std::vector<Symbol> bytes;
    for (const char c : s) {
      const std::string name = byte_piece(static_cast<unsigned char>(c));
      const auto found = ids_.find(name);
      if (found == ids_.end()) return false;
      bytes.push_back({name, found->second, 1});
    }
    symbols.insert(symbols.end(), bytes.begin(), bytes.end());
    return true;
  }

  std::uint32_t rank_of(const std::vector<Symbol>& symbols, std::size_t i) const {
    if (i + 1 >= symbols.size()) return kNoRank;
    const auto found = ranks_.find({symbols[i].text, symbols[i + 1].text});
    return found == ranks_.end() ? kNoRank : found->second;
  }

  void merge(std::vector<Symbol>& symbols) const {
    std::vector<std::uint32_t> ranks;  // of each symbol with its right neighbour
    for (std::size_t i = 0; i < symbols.size(); ++i) ranks.push_back(rank_of(symbols, i));
    while (!ranks.empty()) {
      const auto best = std::min_element(ranks.begin(), ranks.end());
      if (*best == kNoRank) return;
      const auto i = static_cast<std::size_t>(best - ranks.begin());
      Symbol& left = symbols[i];
      left.text += symbols[i + 1].text.substr(bpe_.continuing_subword_prefix.size());
      left.bytes += symbols[i + 1].bytes;
      left.id = ids_.at(left.text);
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      ranks[i] = rank_of(symbols, i);
      if (i > 0) ranks[i - 1] = rank_of(symbols, i - 1);
    }
  }

  model::Bpe bpe_;
  NaiveIds ids_;
  std::unordered_map<std::pair<std::string, std::string>, std::uint32_t, PairHash> ranks_;
};

// Rank files: two neighbours merge when their joined bytes are a token.
class RankBpe final : public NaiveModel {
 public:
  explicit RankBpe(const model::TokenizerSpec& spec)
      : bpe_(std::get<model::Bpe>(spec.model)), ids_(naive_ids(spec)) {}

  void encode(const NaiveText& piece, std::vector<NaiveToken>& out) const override {
    const std::string& text = piece.text;
    const auto put = [&](std::size_t begin, std::size_t end) {
      const auto found = ids_.find(text.substr(begin, end - begin));
      if (found == ids_.end()) throw Error(ErrorCode::input, "naive: a byte that is no token");
      out.push_back({found->second, original(piece, begin, end), found->first});
    };
    if (ids_.count(text) != 0) {
      put(0, text.size());
      return;
    }
    check_length(piece);
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i <= text.size(); ++i) begins.push_back(i);
    const auto rank_at = [&](std::size_t i) {
      if (i + 2 >= begins.size()) return kNoRank;
      const auto found = ids_.find(text.substr(begins[i], begins[i + 2] - begins[i]));
      return found == ids_.end() ? kNoRank : bpe_.rank.at(found->second);
    };
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < text.size(); ++i) ranks.push_back(rank_at(i));
    for (;;) {
      const auto best = std::min_element(ranks.begin(), ranks.end());
      if (*best == kNoRank) break;
      const auto i = static_cast<std::size_t>(best - ranks.begin());
      begins.erase(begins.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      ranks[i] = rank_at(i);
      if (i > 0) ranks[i - 1] = rank_at(i - 1);
    }
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) put(begins[i], begins[i + 1]);
  }

 private:
  model::Bpe bpe_;
  NaiveIds ids_;
};

}  // namespace

std::unique_ptr<NaiveModel> make_naive_list_bpe(const model::TokenizerSpec& spec) {
  return std::make_unique<ListBpe>(spec);
}

std::unique_ptr<NaiveModel> make_naive_rank_bpe(const model::TokenizerSpec& spec) {
  return std::make_unique<RankBpe>(spec);
}

}  // namespace toktier::oracle
