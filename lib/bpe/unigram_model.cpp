#include "bpe/unigram_model.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace toktier::bpe {

using model::kNoToken;
using model::PieceType;

struct UnigramModel::Space final : Workspace {
  explicit Space(std::size_t budget) : cache(budget) {}
  std::size_t cache_bytes() const override { return cache.bytes(); }
  PieceCache cache;
  std::vector<Node> nodes;
  std::vector<FloatNode> float_nodes;
  struct Step {
    std::uint32_t begin, end;
    TokenId id;
  };
  std::vector<Step> path;  // last step first
};

namespace {

constexpr double kUnknownPenalty = 10.0;
constexpr float kResetAt = 100000.0F;

bool in_trie(const model::TokenizerSpec& spec, TokenId id) {
  if (spec.piece_types.empty()) return true;
  const PieceType type = spec.piece_types[id];
  return type == PieceType::normal ||
         type == PieceType::user_defined;  // UNUSED pieces are skipped in the search
}

// The bonus that makes SentencePiece prefer a user-defined piece; computed in double, kept in
// float, as there.
float user_defined_score(std::size_t length) {
  return static_cast<float>(0.1 * (static_cast<int>(length) - 1));
}

}  // namespace

UnigramModel::UnigramModel(const model::TokenizerSpec& spec)
    : spec_(spec),
      unigram_(std::get<model::Unigram>(spec.model)),
      sentencepiece_(spec.reference == model::Reference::sentencepiece) {
  const model::Vocab& vocab = spec.vocab;
  std::vector<std::pair<std::string_view, TokenId>> keys;
  double lowest = std::numeric_limits<double>::infinity();
  if (sentencepiece_) lowest = static_cast<double>(FLT_MAX);
  for (TokenId id = 0; id < vocab.end_id(); ++id) {
    if (!vocab.has(id)) continue;
    const bool counts =
        !sentencepiece_ || spec.piece_types.empty() || spec.piece_types[id] == PieceType::normal;
    if (counts) lowest = std::min(lowest, unigram_.score[id]);
    if (!vocab[id].empty() && in_trie(spec, id)) keys.emplace_back(vocab[id], id);
    longest_ = std::max(longest_, vocab[id].size());
  }
  if (keys.empty())
    throw Error(ErrorCode::input, "the vocabulary is empty", spec.path + ": model.vocab");
  trie_.build(std::move(keys));
  unk_score_ = lowest - kUnknownPenalty;
  if (unigram_.unk_id) unk_ = *unigram_.unk_id;
  if (sentencepiece_) {
    float_score_.resize(unigram_.score.size());
    for (std::size_t i = 0; i < float_score_.size(); ++i)
      float_score_[i] = static_cast<float>(unigram_.score[i]);
  }
  for (unsigned b = 0; b < 256; ++b) {
    byte_token_[b] = unigram_.byte_fallback ? vocab.find(fmt::format("<0x{:02X}>", b)) : kNoToken;
    all_bytes_ &= byte_token_[b] != kNoToken;
  }
}

std::unique_ptr<Workspace> UnigramModel::workspace(std::size_t cache_budget_bytes) const {
  return std::make_unique<Space>(cache_budget_bytes);
}

TokenId UnigramModel::need_unknown() const {
  if (unk_ == kNoToken) {
    throw Error(ErrorCode::input,
                "the text holds an unknown character and the file names no unknown token",
                spec_.path + ": model.unk_id");
  }
  return unk_;
}

void UnigramModel::put_unknown_run(std::string_view run, TokenSink& out) const {
  const auto length = static_cast<std::uint32_t>(run.size());
  const TokenId literal = spec_.vocab.find(run);
  if (literal != kNoToken) {
    out.put(literal, length);
    return;
  }
  if (unigram_.byte_fallback) {
    bool all = true;
    for (const char c : run) all &= byte_token_[static_cast<unsigned char>(c)] != kNoToken;
    if (all) {
      for (std::size_t i = 0; i < run.size(); ++i)
        out.put(byte_token_[static_cast<unsigned char>(run[i])],
                i + 1 < run.size() ? length | kSameBegin : length);
      return;
    }
  }
  out.put(need_unknown(), length);
}

bool UnigramModel::encode_tokenizers(std::string_view piece, Space& ws, TokenSink& out) const {
  const std::size_t size = piece.size();
  ws.nodes.assign(size + 1, Node{});
  if (ws.in_parts) ws.nodes[0].score = ws.carry;
  for (std::size_t at = 0; at < size;) {
    const double here = ws.nodes[at].score;
    const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(piece[at]));
    bool single = false;
    std::uint32_t node = ByteTrie::kRoot;
    for (std::size_t end = at; end < size;) {
      node = trie_.step(node, static_cast<unsigned char>(piece[end]));
      if (node == ByteTrie::kDead) break;
      ++end;
      const TokenId id = trie_.value(node);
      if (id == ByteTrie::kNoValue) continue;
      const double score = unigram_.score[id] + here;
      Node& target = ws.nodes[end];
      if (!target.reached || score > target.score)
        target = {score, static_cast<std::uint32_t>(at), id, true};
      single |= end - at == length;
    }
    if (!single) {
      Node& target = ws.nodes[at + length];
      const double score = unk_score_ + here;
      if (!target.reached || score > target.score)
        target = {score, static_cast<std::uint32_t>(at), need_unknown(), true};
    }
    at += length;
  }
  ws.carry = ws.nodes[size].score;
  ws.path.clear();
  for (std::uint32_t end = static_cast<std::uint32_t>(size); end > 0;) {
    const Node& n = ws.nodes[end];
    ws.path.push_back({n.from, end, n.id});
    end = n.from;
  }
  bool known = true;
  for (std::size_t i = ws.path.size(); i-- > 0;) {
    if (ws.path[i].id != unk_ || unk_ == kNoToken) {
      out.put(ws.path[i].id, ws.path[i].end - ws.path[i].begin);
      continue;
    }
    known = false;
    const std::uint32_t begin = ws.path[i].begin;
    while (i > 0 && ws.path[i - 1].id == unk_) --i;
    put_unknown_run(piece.substr(begin, ws.path[i].end - begin), out);
  }
  return known;
}

void UnigramModel::reset_scores(Space& ws, std::size_t at, std::size_t frontier) const {
  const float offset = ws.float_nodes[at].score;
  for (std::size_t i = at; i <= frontier; ++i)
    if (i == at || ws.float_nodes[i].reached) ws.float_nodes[i].score -= offset;
}

void UnigramModel::encode_sentencepiece(std::string_view piece, Space& ws, TokenSink& out) const {
  const std::size_t size = piece.size();
  ws.float_nodes.assign(size + 1, FloatNode{});
  if (ws.in_parts) ws.float_nodes[0].score = static_cast<float>(ws.carry);
  const float unk_score = static_cast<float>(unk_score_);
  std::size_t frontier = 0;
  for (std::size_t at = 0; at < size;) {
    float here = ws.float_nodes[at].score;
    if (here < -kResetAt || here > kResetAt) {
      reset_scores(ws, at, frontier);
      here = 0.0F;
    }
    const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(piece[at]));
    bool single = false;
    std::uint32_t node = ByteTrie::kRoot;
    for (std::size_t end = at; end < size;) {
      node = trie_.step(node, static_cast<unsigned char>(piece[end]));
      if (node == ByteTrie::kDead) break;
      ++end;
      const TokenId id = trie_.value(node);
      if (id == ByteTrie::kNoValue) continue;
      frontier = std::max(frontier, end);
      const bool user =
          !spec_.piece_types.empty() && spec_.piece_types[id] == PieceType::user_defined;
      const float score = (user ? user_defined_score(end - at) : float_score_[id]) + here;
      FloatNode& target = ws.float_nodes[end];
      if (!target.reached || score > target.score)
        target = {score, static_cast<std::uint32_t>(at), id, true};
      single |= end - at == length;
    }
    if (!single) {
      frontier = std::max(frontier, at + length);
      FloatNode& target = ws.float_nodes[at + length];
      const float score = unk_score + here;
      if (!target.reached || score > target.score)
        target = {score, static_cast<std::uint32_t>(at), unk_, true};
    }
    at += length;
  }
  ws.carry = static_cast<double>(ws.float_nodes[size].score);
  ws.path.clear();
  for (std::uint32_t end = static_cast<std::uint32_t>(size); end > 0;) {
    const FloatNode& n = ws.float_nodes[end];
    ws.path.push_back({n.from, end, n.id});
    end = n.from;
  }
  bool after_unknown = false;
  for (std::size_t i = ws.path.size(); i-- > 0;) {
    const auto [begin, end, id] = ws.path[i];
    const std::uint32_t length = end - begin;
    if (id != unk_) {
      out.put(id, length);
      after_unknown = false;
    } else if (unigram_.byte_fallback) {
      for (std::uint32_t b = begin; b < end; ++b)
        out.put(byte_token_[static_cast<unsigned char>(piece[b])], b + 1 == end ? length : 0);
    } else if (after_unknown) {
      out.extend_last(length);
    } else {
      out.put(unk_, length);
      after_unknown = true;
    }
  }
}

void UnigramModel::encode(std::string_view text, std::uint32_t begin,
                          std::span<const std::uint32_t> ends, Workspace& workspace,
                          TokenSink& out) const {
  auto& ws = static_cast<Space&>(workspace);
  for (const std::uint32_t end : ends) {
    const std::string_view piece = text.substr(begin, end - begin);
    begin = end;
    out.reserve(piece.size() + PieceCache::kMaxShortIds);
    if (sentencepiece_) {
      encode_sentencepiece(piece, ws, out);
      continue;
    }
    // A part's answer depends on the score before it.
    const bool short_piece = piece.size() <= PieceCache::kMaxShort && !ws.in_parts;
    PieceCache::ShortKey key{0, 0};
    if (short_piece) {
      key = PieceCache::short_key(piece.data(), piece.size(), false);
      if (const PieceCache::ShortEntry* hit = ws.cache.find(key, ws.cache.set_of(key))) {
        for (std::size_t i = 0; i < PieceCache::count(*hit); ++i) {
          const TokenId id = i == 0 ? hit->ids[0] & PieceCache::kMaxId : hit->ids[i];
          out.put(id, static_cast<std::uint32_t>(spec_.vocab[id].size()));
        }
        continue;
      }
    }
    const std::size_t from = out.size();
    if (encode_tokenizers(piece, ws, out) && short_piece)
      ws.cache.insert(key, out.cursor() - (out.size() - from), out.size() - from);
  }
}

bool UnigramModel::parts_at(std::string_view text, std::size_t at, Workspace&) const {
  for (std::size_t begin = at - longest_; begin < at; ++begin) {
    if ((static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) continue;
    std::uint32_t node = ByteTrie::kRoot;
    std::size_t end = begin;
    for (; end < text.size(); ++end) {
      node = trie_.step(node, static_cast<unsigned char>(text[end]));
      if (node == ByteTrie::kDead) break;
      if (end >= at && trie_.value(node) != ByteTrie::kNoValue) return false;
    }
    if (end == text.size()) return false;  // a longer text might hold a longer token
  }
  // Unknown tokens fuse, so one of the two beside the place must be none. A known character is in
  // no unknown token, unless the unknown token's own text stands here.
  const auto known = [&](std::size_t begin) {
    std::uint32_t node = ByteTrie::kRoot;
    const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(text[begin]));
    for (const char c : text.substr(begin, length)) {
      node = trie_.step(node, static_cast<unsigned char>(c));
      if (node == ByteTrie::kDead) return false;
    }
    const TokenId id = trie_.value(node);
    return id != ByteTrie::kNoValue && id != unk_;
  };
  std::size_t before = at - 1;
  while ((static_cast<unsigned char>(text[before]) & 0xC0) == 0x80) --before;
  const std::string_view unknown = unk_ == kNoToken ? std::string_view() : spec_.vocab[unk_];
  const bool left = known(before) && (unknown.empty() || !text.substr(0, at).ends_with(unknown));
  const bool right = known(at) && (unknown.empty() || text[at] != unknown[0]);
  return left || right;
}

std::string UnigramModel::describe() const {
  return fmt::format("Unigram: {} pieces, {} arithmetic{}", spec_.vocab.size(),
                     sentencepiece_ ? "float" : "double",
                     unigram_.byte_fallback ? ", byte fallback" : "");
}

}  // namespace toktier::bpe
