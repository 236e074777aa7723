// The "model" part of tokenizer.json: BPE, WordPiece, WordLevel, Unigram.
//
// With a known tag the kind is fixed. Without one the reference (tokenizers 0.23.3) tries BPE,
// WordPiece, WordLevel and Unigram in this order and takes the first whose fields fit; the same is
// done here, failures included.

#include "base/beside.hpp"
#include "base/hash.hpp"
#include "model/loaders.hpp"
#include "model/serde_number.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace toktier::model {
namespace {

using Reader = void (*)(Fields&, TokenizerSpec&);

// {"token": id, ...}
void read_vocab_map(Fields& f, Vocab& vocab) {
  const std::string field = f.path("vocab");
  simdjson::dom::object object;
  if (f.need("vocab").get(object) != simdjson::SUCCESS) {
    fail_input(f.context(), field,
               fmt::format("{} found, an object expected", describe(f.need("vocab"))));
  }
  vocab = Vocab();
  vocab.reserve(object.size(), object.size() * 8);
  for (const auto [token, value] : object) {
    std::uint64_t id = 0;
    if (value.get(id) != simdjson::SUCCESS || id > kMaxTokenId) {
      fail_input(
          f.context(), fmt::format("{}[\"{}\"]", field, token),
          fmt::format("{} found, an id from 0 to {} expected", describe(value), kMaxTokenId));
    }
    if (!vocab.add(static_cast<TokenId>(id), token)) {
      fail_unsupported(
          f.context(), fmt::format("{}[\"{}\"]", field, token),
          fmt::format("id {} already belongs to \"{}\"; which of the two the reference "
                      "decodes it to is left to chance there",
                      id, vocab[static_cast<TokenId>(id)]));
    }
  }
  vocab.index();
  if (vocab.distinct() < vocab.size()) {
    f.context().notes.push_back(fmt::format("{} tokens occur twice in {}; the last id holds",
                                            vocab.size() - vocab.distinct(), field));
    vocab.drop_shadowed();
  }
}

// Turns pairs of strings into pairs of ids. Most lists are ordered as the vocabulary is, so the
// joined token is usually the previous result or the next id; that guess is compared in full and
// saves a third of the look-ups.
class MergeReader {
 public:
  MergeReader(Fields& f, const Vocab& vocab, std::string_view prefix, std::vector<Merge>& out)
      : fields_(f), vocab_(vocab), prefix_size_(prefix.size()), out_(out) {}

  /// `entry`: the place in the file's list, for messages.
  void add(std::size_t entry, std::string_view left, std::string_view right) {
    parts_[2 * count_] = left;
    parts_[2 * count_ + 1] = right;
    entries_[count_] = entry;
    if (++count_ == kBlock) flush();
  }

  void flush() {
    std::array<TokenId, 2 * kBlock> ids{};
    vocab_.find_many(std::span(parts_).first(2 * count_), std::span(ids).first(2 * count_));
    for (std::size_t i = 0; i < count_; ++i) {
      const std::string_view left = parts_[2 * i];
      const std::string_view right = parts_[2 * i + 1];
      entry_ = entries_[i];
      for (std::size_t side = 0; side < 2; ++side) {
        if (ids[2 * i + side] == kNoToken) fail_missing(parts_[2 * i + side]);
      }
      if (right.size() < prefix_size_) {
        fail_input(fields_.context(), place(),
                   fmt::format("\"{}\" is shorter than continuing_subword_prefix", right));
      }
      last_ = result(left, right.substr(prefix_size_));
      out_.push_back({ids[2 * i], ids[2 * i + 1], last_});
    }
    count_ = 0;
  }

 private:
  static constexpr std::size_t kBlock = 32;

  bool joins(TokenId id, std::string_view left, std::string_view right) const {
    const std::string_view token = vocab_[id];
    return !token.empty() && token.size() == left.size() + right.size() &&
           base::equal_bytes(token.substr(0, left.size()), left) &&
           base::equal_bytes(token.substr(left.size()), right);
  }

  TokenId result(std::string_view left, std::string_view right) {
    // No two ids share their bytes here (drop_shadowed), so a full match is the one answer.
    if (joins(last_ + 1, left, right)) return last_ + 1;
    if (joins(last_, left, right)) return last_;
    joined_.assign(left);
    joined_.append(right);
    const TokenId id = vocab_.find(joined_);
    if (id == kNoToken) fail_missing(joined_);
    return id;
  }

  std::string place() const { return fmt::format("{}[{}]", fields_.path("merges"), entry_); }

  [[noreturn]] void fail_missing(std::string_view token) const {
    fail_input(fields_.context(), place(), fmt::format("\"{}\" is not in the vocabulary", token));
  }

  Fields& fields_;
  const Vocab& vocab_;
  std::size_t prefix_size_;
  std::vector<Merge>& out_;
  std::array<std::string_view, 2 * kBlock> parts_{};
  std::array<std::size_t, kBlock> entries_{};
  std::size_t entry_ = 0;  // the one at work
  std::size_t count_ = 0;
  TokenId last_ = 0;
  std::string joined_;
};

// The place of the only blank in `text`; npos when there is none or more than one.
std::size_t only_blank(std::string_view text) {
  std::size_t at = std::string_view::npos;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') {
      at = i;
      ++count;
    }
  }
  return count == 1 ? at : std::string_view::npos;
}

// Entries [from, to) of the list.
void read_merge_range(Fields& f, const Vocab& vocab, const Bpe& bpe, simdjson::dom::array list,
                      std::size_t from, std::size_t to, std::vector<Merge>& out) {
  const std::string field = f.path("merges");
  out.reserve(to - from);
  MergeReader reader(f, vocab, bpe.continuing_subword_prefix, out);
  std::size_t i = 0;
  bool pairs = false;
  for (const Json entry : list) {
    if (i == 0) pairs = entry.is_array();
    if (i < from) {
      ++i;
      continue;
    }
    if (i == to) break;
    simdjson::dom::array pair;
    std::string_view text;
    if (pairs) {
      std::array<std::string_view, 2> part;
      std::size_t n = 0;
      if (entry.get(pair) == simdjson::SUCCESS) {
        for (const Json token : pair) {
          if (n == 2 || token.get(part[n]) != simdjson::SUCCESS) {
            n = 3;
            break;
          }
          ++n;
        }
      }
      if (n != 2) {
        fail_input(f.context(), fmt::format("{}[{}]", field, i),
                   fmt::format("{} found, an array of two strings expected", describe(entry)));
      }
      reader.add(i, part[0], part[1]);
    } else {
      if (entry.get(text) != simdjson::SUCCESS) {
        fail_input(f.context(), fmt::format("{}[{}]", field, i),
                   fmt::format("{} found, a string expected", describe(entry)));
      }
      if (!text.starts_with("#version")) {
        const std::size_t blank = only_blank(text);
        if (blank == std::string_view::npos) {
          fail_input(f.context(), fmt::format("{}[{}]", field, i),
                     fmt::format("\"{}\" found, two tokens with one blank between expected", text));
        }
        reader.add(i, text.substr(0, blank), text.substr(blank + 1));
      }
    }
    ++i;
  }
  reader.flush();
}

void read_merges(Fields& f, const Vocab& vocab, Bpe& bpe) {
  const simdjson::dom::array list = to_array(f.need("merges"), f.context(), f.path("merges"));
  const std::size_t n = list.size();
  // Long lists in two halves side by side; of two errors the first in the list is told.
  const std::size_t half = n > 10'000 ? n / 2 : n;
  std::vector<Merge> later;
  base::Beside beside([&] { read_merge_range(f, vocab, bpe, list, half, n, later); });
  bpe.merges.clear();
  read_merge_range(f, vocab, bpe, list, 0, half, bpe.merges);
  beside.join();
  bpe.merges.insert(bpe.merges.end(), later.begin(), later.end());
}

void read_bpe(Fields& f, TokenizerSpec& spec) {
  Bpe bpe;
  if (const auto dropout = f.find_value("dropout")) {
    double p = 0;
    if (dropout->get(p) != simdjson::SUCCESS || !(p >= 0 && p <= 1)) {
      fail_input(f.context(), f.path("dropout"),
                 fmt::format("{} found, a number from 0 to 1 expected", describe(*dropout)));
    }
    if (p != 0) {
      fail_unsupported(f.context(), f.path("dropout"),
                       fmt::format("{}: merges dropped at random have no reference ids to equal; "
                                   "set it to null",
                                   p));
    }
  }
  bpe.unk_token = f.maybe_string("unk_token");
  bpe.continuing_subword_prefix = f.maybe_string("continuing_subword_prefix").value_or("");
  bpe.end_of_word_suffix = f.maybe_string("end_of_word_suffix").value_or("");
  bpe.fuse_unk = f.maybe_bool("fuse_unk").value_or(false);
  bpe.byte_fallback = f.maybe_bool("byte_fallback").value_or(false);
  bpe.ignore_merges = f.maybe_bool("ignore_merges").value_or(false);
  (void)f.need("merges");
  read_vocab_map(f, spec.vocab);
  read_merges(f, spec.vocab, bpe);
  spec.model = std::move(bpe);
}

void read_word_piece(Fields& f, TokenizerSpec& spec) {
  WordPiece model;
  model.unk_token = f.need_string("unk_token");
  model.continuing_subword_prefix = f.need_string("continuing_subword_prefix");
  model.max_input_chars_per_word = f.need_size("max_input_chars_per_word");
  read_vocab_map(f, spec.vocab);
  spec.model = std::move(model);
}

void read_word_level(Fields& f, TokenizerSpec& spec) {
  WordLevel model;
  model.unk_token = f.need_string("unk_token");
  read_vocab_map(f, spec.vocab);
  spec.model = std::move(model);
}

// The scores once more, from their digits: the parsed document holds the nearest doubles, the
// reference's reader does not (see serde_number()). Of repeated fields the last counts, as
// everywhere.
std::vector<double> reference_scores(Fields& f) {
  namespace ondemand = simdjson::ondemand;
  std::vector<double> out;
  const LoadContext& context = f.context();
  ondemand::parser parser;
  ondemand::document document = parser.iterate(
      simdjson::padded_string_view(context.text, context.text.size() + simdjson::SIMDJSON_PADDING));
  ondemand::object root = document.get_object();
  for (auto member : root) {
    const std::string_view key = member.unescaped_key();
    if (key != "model") continue;
    ondemand::object model = member.value().get_object();
    for (auto part : model) {
      const std::string_view name = part.unescaped_key();
      ondemand::value list = part.value();
      if (name != "vocab" || list.type() != ondemand::json_type::array) continue;
      out.clear();
      for (auto entry : list.get_array()) {
        std::size_t i = 0;
        for (auto item : entry.get_array()) {
          ondemand::value value = item.value();
          if (i++ != 1) continue;
          std::string_view digits = value.raw_json_token();
          digits = digits.substr(0, digits.find_last_not_of(" \t\r\n") + 1);
          const std::optional<double> score = serde_number(digits);
          if (!score) {
            fail_input(context, fmt::format("{}[{}]", f.path("vocab"), out.size()),
                       fmt::format("{} is out of range for the reference", digits));
          }
          out.push_back(*score);
        }
      }
    }
  }
  return out;
}

void read_unigram(Fields& f, TokenizerSpec& spec) {
  Unigram model;
  const std::string field = f.path("vocab");
  const simdjson::dom::array list = to_array(f.need("vocab"), f.context(), field);
  spec.vocab = Vocab();
  spec.vocab.reserve(list.size(), list.size() * 8);
  model.score.reserve(list.size());
  for (const Json entry : list) {
    const std::size_t id = model.score.size();
    const auto place = [&] { return fmt::format("{}[{}]", field, id); };
    simdjson::dom::array pair;
    std::string_view token;
    double score = 0;
    if (entry.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
        pair.at(0).get(token) != simdjson::SUCCESS || pair.at(1).get(score) != simdjson::SUCCESS) {
      fail_input(f.context(), place(),
                 fmt::format("{} found, a token and its score expected", describe(entry)));
    }
    if (!spec.vocab.add(static_cast<TokenId>(id), token)) {
      fail_input(f.context(), place(), fmt::format("more than {} tokens", kMaxTokenId + 1));
    }
    model.score.push_back(score);
  }
  spec.vocab.index();
  std::vector<double> scores = reference_scores(f);
  if (scores.size() != model.score.size()) {
    throw Error(ErrorCode::internal, "the two readings of the scores differ in length",
                f.context().file);
  }
  model.score = std::move(scores);
  if (const auto unk = f.find_value("unk_id")) {
    const std::uint64_t id = to_unsigned(*unk, f.context(), f.path("unk_id"));
    if (id >= model.score.size()) {
      fail_input(f.context(), f.path("unk_id"),
                 fmt::format("{} is not in the vocabulary of {} tokens", id, model.score.size()));
    }
    model.unk_id = static_cast<TokenId>(id);
  }
  model.byte_fallback = f.bool_or("byte_fallback", false);
  spec.model = std::move(model);
}

struct Kind {
  std::string_view tag;
  Reader read;
};
constexpr std::array<Kind, 4> kKinds = {{{"BPE", read_bpe},
                                         {"WordPiece", read_word_piece},
                                         {"WordLevel", read_word_level},
                                         {"Unigram", read_unigram}}};

}  // namespace

void read_model(Json value, LoadContext& context, TokenizerSpec& spec) {
  Fields fields(value, context, "model");
  const std::optional<Json> type = fields.find("type");
  std::string_view tag;
  if (type && type->get(tag) == simdjson::SUCCESS) {
    for (const Kind& kind : kKinds) {
      if (kind.tag == tag) {
        kind.read(fields, spec);
        fields.note_unused();
        return;
      }
    }
  }
  if (type) {
    // Every kind of the reference checks the tag when there is one, so no kind can take this.
    fail_unsupported(
        context, "model.type",
        fmt::format("model {} is not known to the reference (tokenizers 0.23.3), which "
                    "has BPE, WordPiece, WordLevel and Unigram",
                    describe(*type)));
  }
  std::string reasons;
  for (const Kind& kind : kKinds) {
    Fields again(value, context, "model");
    const std::size_t notes = context.notes.size();
    try {
      kind.read(again, spec);
      again.note_unused();
      context.notes.push_back(
          fmt::format("model.type is absent; by its fields it is {}", kind.tag));
      return;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::input) throw;
      context.notes.resize(notes);
      reasons += fmt::format("; not {} because {}", kind.tag, error.what());
    }
  }
  fail_input(context, "model", "model.type is absent and the fields fit no model" + reasons);
}

}  // namespace toktier::model
