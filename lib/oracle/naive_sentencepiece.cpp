// The two models of SentencePiece, on the whole normalized document, and how that engine writes
// out what they find (unknowns joined or spelled as bytes, spans).

#include "oracle/naive_models.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <map>
#include <utility>

namespace toktier::oracle {

namespace {

using model::kNoToken;
using model::PieceType;

struct Found {
  std::size_t begin = 0;
  std::size_t end = 0;
  TokenId id = kNoToken;
};

// What both models know of the pieces, and the writing out.
class Pieces {
 public:
  explicit Pieces(const model::TokenizerSpec& spec, bool byte_fallback)
      : types_(spec.piece_types), byte_fallback_(byte_fallback), ids_(naive_ids(spec)) {
    for (TokenId id = 0; id < types_.size(); ++id)
      if (types_[id] == PieceType::unknown) unknown_ = id;
    types_.resize(spec.vocab.end_id(), PieceType::normal);
  }

  PieceType type(TokenId id) const { return types_[id]; }
  TokenId unknown() const { return unknown_; }
  /// kNoToken when absent.
  TokenId find(const std::string& text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? kNoToken : found->second;
  }

  void put(const NaiveText& text, const std::vector<Found>& all,
           std::vector<NaiveToken>& out) const {
    bool after_unknown = false;
    for (const Found& f : all) {
      const std::string w = text.text.substr(f.begin, f.end - f.begin);
      const Span span = original(text, f.begin, f.end);
      const bool unknown = f.id == unknown_;
      if (unknown && byte_fallback_) {
        for (std::size_t i = 0; i < w.size(); ++i) {
          const std::string name = byte_piece(static_cast<unsigned char>(w[i]));
          const bool last = i + 1 == w.size();  // the last one stands for the character
          out.push_back({find(name), last ? span : Span{span.begin, span.begin}, name});
        }
      } else if (unknown && after_unknown) {
        out.back().text += w;
        out.back().span.end = span.end;
      } else {
        out.push_back({f.id, span, w});
      }
      after_unknown = unknown;
    }
  }

 private:
  std::vector<PieceType> types_;
  bool byte_fallback_;
  NaiveIds ids_;
  TokenId unknown_ = kNoToken;
};

class SentencePieceBpe final : public NaiveModel {
 public:
  explicit SentencePieceBpe(const model::TokenizerSpec& spec)
      : bpe_(std::get<model::Bpe>(spec.model)), pieces_(spec, bpe_.byte_fallback) {
    for (TokenId id = 0; id < spec.piece_types.size(); ++id) {
      if (spec.piece_types[id] == PieceType::user_defined)
        user_defined_.emplace_back(spec.vocab[id]);
    }
    const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
    std::sort(user_defined_.begin(), user_defined_.end(), shorter);
  }

  void encode(const NaiveText& piece, std::vector<NaiveToken>& out) const override {
    if (piece.text.size() > kLongestNaivePiece)
      throw NotCovered("a piece longer than the textbook loop is asked for");
    std::vector<Symbol> symbols = first_symbols(piece.text);
    Splits splits;
    merge(symbols, splits);
    std::vector<Found> found;
    std::size_t at = 0;
    for (const Symbol& s : symbols) {
      take_apart(s.text, at, splits, found);
      at += s.text.size();
    }
    pieces_.put(piece, found, out);
  }

 private:
  struct Symbol {
    std::string text;
    bool frozen = false;
  };
  struct Score {
    bool merges = false;
    float value = 0;
  };
  /// How an UNUSED piece was last put together.
  using Splits = std::map<std::string, std::pair<std::string, std::string>>;

  static bool better(const Score& a, const Score& b) {
    if (a.merges != b.merges) return a.merges;
    if (a.value != b.value) return a.value > b.value;
    return std::signbit(b.value) && !std::signbit(a.value);  // the engine puts +0 before -0
  }

  std::vector<Symbol> first_symbols(const std::string& text) const {
    std::vector<Symbol> symbols;
    for (std::size_t at = 0; at < text.size();) {
      std::string user;
      int seen = 0;  // the engine looks at no more than 64 of them
      for (const std::string& u : user_defined_) {
        if (text.compare(at, u.size(), u) != 0 || ++seen > 64) continue;
        user = u;
      }
      if (user.empty()) {
        const std::size_t length = unicode::decode(text.data() + at).length;
        symbols.push_back({text.substr(at, length), false});
      } else {
        symbols.push_back({user, true});
      }
      at += symbols.back().text.size();
    }
    return symbols;
  }

  bool reserved(TokenId id) const {
    const PieceType t = pieces_.type(id);
    return t != PieceType::normal && t != PieceType::user_defined && t != PieceType::unused;
  }

  Score look(const std::vector<Symbol>& symbols, std::size_t i, Splits& splits) const {
    if (i + 1 >= symbols.size() || symbols[i].frozen || symbols[i + 1].frozen) return {};
    const std::string joined = symbols[i].text + symbols[i + 1].text;
    const TokenId id = pieces_.find(joined);
    if (id == kNoToken || reserved(id)) return {};
    if (pieces_.type(id) == PieceType::unused)
      splits[joined] = {symbols[i].text, symbols[i + 1].text};
    return {true, bpe_.score[id]};
  }

  void merge(std::vector<Symbol>& symbols, Splits& splits) const {
    std::vector<Score> scores;  // of each symbol with its right neighbour
    for (std::size_t i = 0; i < symbols.size(); ++i) scores.push_back(look(symbols, i, splits));
    while (!scores.empty()) {
      std::size_t i = 0;
      for (std::size_t k = 1; k < scores.size(); ++k)
        if (better(scores[k], scores[i])) i = k;
      if (!scores[i].merges) return;
      symbols[i].text += symbols[i + 1].text;
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      scores.erase(scores.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      if (i > 0) scores[i - 1] = look(symbols, i - 1, splits);
      scores[i] = look(symbols, i, splits);
    }
  }

  // Pieces that may not stand in a result fall back into what they were made of, at most 100 deep.
  void take_apart(const std::string& whole, std::size_t begin, const Splits& splits,
                  std::vector<Found>& out) const {
    std::vector<std::pair<std::string, int>> todo = {{whole, 0}};  // last first
    while (!todo.empty()) {
      const auto [text, depth] = todo.back();
      todo.pop_back();
      const TokenId id = pieces_.find(text);
      const auto split = splits.find(text);
      if (id != kNoToken && pieces_.type(id) == PieceType::unused && depth <= 100 &&
          split != splits.end()) {
        todo.emplace_back(split->second.second, depth + 1);
        todo.emplace_back(split->second.first, depth + 1);
        continue;
      }
      const bool stands =
          id != kNoToken && !reserved(id) && (pieces_.type(id) != PieceType::unused || depth > 100);
      out.push_back({begin, begin + text.size(), stands ? id : pieces_.unknown()});
      begin += text.size();
    }
  }

  model::Bpe bpe_;
  Pieces pieces_;
  std::vector<std::string> user_defined_;  // shortest first
};

class SentencePieceUnigram final : public NaiveModel {
 public:
  explicit SentencePieceUnigram(const model::TokenizerSpec& spec)
      : unigram_(std::get<model::Unigram>(spec.model)), pieces_(spec, unigram_.byte_fallback) {
    float lowest = FLT_MAX;
    for (TokenId id = 0; id < spec.vocab.end_id(); ++id) {
      if (!spec.vocab.has(id)) continue;
      const PieceType type = pieces_.type(id);
      if (type == PieceType::normal) lowest = std::min(lowest, score_of(id));
      if (type != PieceType::normal && type != PieceType::user_defined) continue;
      usable_[std::string(spec.vocab[id])] = id;
      longest_ = std::max(longest_, spec.vocab[id].size());
    }
    unknown_score_ = lowest - 10.0F;
  }

  void encode(const NaiveText& piece, std::vector<NaiveToken>& out) const override {
    std::vector<Node> nodes(piece.text.size() + 1);
    fill(piece.text, nodes);
    std::vector<Found> path;
    for (std::size_t end = piece.text.size(); end > 0; end = nodes[end].from)
      path.push_back({nodes[end].from, end, nodes[end].id});
    std::reverse(path.begin(), path.end());
    pieces_.put(piece, path, out);
  }

 private:
  struct Node {
    bool reached = false;
    float score = 0;
    std::size_t from = 0;
    TokenId id = kNoToken;
  };

  float score_of(TokenId id) const { return static_cast<float>(unigram_.score[id]); }

  // A user-defined piece gets a score that grows with its length; computed in double, as there.
  float user_score(std::size_t bytes) const {
    return static_cast<float>(0.1 * (static_cast<int>(bytes) - 1));
  }

  void fill(const std::string& text, std::vector<Node>& nodes) const {
    constexpr float kFar = 100000.0F;
    std::size_t at = 0;
    for (const std::string& character : characters(text)) {
      // Scores far from 0 are moved back: every score from here on that has been set.
      const float offset = nodes[at].score;
      if (offset < -kFar || offset > kFar) {
        for (std::size_t i = at; i < nodes.size(); ++i)
          if (i == at || nodes[i].reached) nodes[i].score -= offset;
      }
      const float here = offset < -kFar || offset > kFar ? 0.0F : offset;
      const auto offer = [&](std::size_t end, float score, TokenId id) {
        const float sum = score + here;
        if (nodes[end].reached && !(sum > nodes[end].score)) return;
        nodes[end] = {true, sum, at, id};
      };
      bool single = false;
      for (std::size_t n = 1; n <= longest_ && at + n <= text.size(); ++n) {
        const auto found = usable_.find(text.substr(at, n));
        if (found == usable_.end()) continue;
        const bool user = pieces_.type(found->second) == PieceType::user_defined;
        offer(at + n, user ? user_score(n) : score_of(found->second), found->second);
        single |= n == character.size();
      }
      if (!single) offer(at + character.size(), unknown_score_, pieces_.unknown());
      at += character.size();
    }
  }

  model::Unigram unigram_;
  Pieces pieces_;
  std::map<std::string, TokenId> usable_;
  std::size_t longest_ = 0;
  float unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<NaiveModel> make_naive_sentencepiece_bpe(const model::TokenizerSpec& spec) {
  return std::make_unique<SentencePieceBpe>(spec);
}

std::unique_ptr<NaiveModel> make_naive_sentencepiece_unigram(const model::TokenizerSpec& spec) {
  return std::make_unique<SentencePieceUnigram>(spec);
}

}  // namespace toktier::oracle
