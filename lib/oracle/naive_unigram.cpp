// Unigram of Hugging Face tokenizers: the path of highest score, found from left to right in
// double, the first of equal paths kept (a later one must be better, not as good).

#include "oracle/naive_models.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace toktier::oracle {

namespace {

class Unigram final : public NaiveModel {
 public:
  explicit Unigram(const model::TokenizerSpec& spec)
      : unigram_(std::get<model::Unigram>(spec.model)) {
    double lowest = std::numeric_limits<double>::infinity();
    for (TokenId id = 0; id < spec.vocab.end_id(); ++id) {
      if (!spec.vocab.has(id)) continue;
      lowest = std::min(lowest, unigram_.score[id]);
      ids_[std::string(spec.vocab[id])] = id;
      longest_ = std::max(longest_, spec.vocab[id].size());
    }
    unknown_score_ = lowest - 10.0;
  }

  void encode(const NaiveText& piece, std::vector<NaiveToken>& out) const override {
    const std::vector<Node> nodes = best_paths(piece.text);
    std::vector<Node> path;  // with `from` and `to`
    for (std::size_t end = piece.text.size(); end > 0; end = nodes[end].from) {
      path.push_back(nodes[end]);
      path.back().to = end;
    }
    std::reverse(path.begin(), path.end());
    for (std::size_t i = 0; i < path.size(); ++i) {
      std::size_t end = path[i].to;
      const std::size_t begin = path[i].from;
      // Neighbouring unknowns are one token.
      if (is_unknown(path[i])) {
        while (i + 1 < path.size() && is_unknown(path[i + 1])) end = path[++i].to;
      }
      put(piece, begin, end, out);
    }
  }

 private:
  struct Node {
    bool reached = false;
    double score = 0;
    std::size_t from = 0, to = 0;
    TokenId id = 0;
  };

  bool is_unknown(const Node& node) const { return unigram_.unk_id && node.id == *unigram_.unk_id; }

  [[noreturn]] static void no_unknown() {
    throw Error(ErrorCode::input, "naive: an unknown character and no unknown token");
  }

  std::vector<Node> best_paths(const std::string& text) const {
    std::vector<Node> nodes(text.size() + 1);
    std::size_t at = 0;
    for (const std::string& character : characters(text)) {
      const double here = nodes[at].score;
      const auto offer = [&](std::size_t end, double score, TokenId id) {
        Node& node = nodes[end];
        if (node.reached && !(score + here > node.score)) return;
        node = {true, score + here, at, end, id};
      };
      bool single = false;
      for (std::size_t n = 1; n <= longest_ && at + n <= text.size(); ++n) {
        const auto found = ids_.find(text.substr(at, n));
        if (found == ids_.end()) continue;
        offer(at + n, unigram_.score[found->second], found->second);
        single |= n == character.size();
      }
      if (!single) {
        if (!unigram_.unk_id) {
          // The reference needs the unknown token only where this is the best path so far.
          const Node& node = nodes[at + character.size()];
          if (!node.reached || unknown_score_ + here > node.score) no_unknown();
        } else {
          offer(at + character.size(), unknown_score_, *unigram_.unk_id);
        }
      }
      at += character.size();
    }
    return nodes;
  }

  // The text of a path step is looked up once more: joined unknowns may spell a token.
  void put(const NaiveText& piece, std::size_t begin, std::size_t end,
           std::vector<NaiveToken>& out) const {
    const std::string text = piece.text.substr(begin, end - begin);
    const Span span = original(piece, begin, end);
    if (const auto found = ids_.find(text); found != ids_.end()) {
      out.push_back({found->second, span, text});
      return;
    }
    if (unigram_.byte_fallback) {
      std::vector<NaiveToken> bytes;
      for (const char c : text) {
        const std::string name = byte_piece(static_cast<unsigned char>(c));
        if (const auto found = ids_.find(name); found != ids_.end())
          bytes.push_back({found->second, span, name});
      }
      if (bytes.size() == text.size()) {
        out.insert(out.end(), bytes.begin(), bytes.end());
        return;
      }
    }
    if (!unigram_.unk_id) no_unknown();
    out.push_back({*unigram_.unk_id, span, text});
  }

  model::Unigram unigram_;
  std::map<std::string, TokenId> ids_;
  std::size_t longest_ = 0;
  double unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<NaiveModel> make_naive_unigram(const model::TokenizerSpec& spec) {
  return std::make_unique<Unigram>(spec);
}

}  // namespace toktier::oracle
