// SentencePiece .model files (protobuf). Reference: sentencepiece 0.2.3, whose own checks at load
// are made here too.

#include "model/loaders.hpp"
#include "model/protobuf_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <optional>

namespace toktier::model {
namespace {

using Wire = ProtobufReader::Wire;

struct RawPiece {
  std::string_view text;
  float score = 0;
  PieceType type = PieceType::normal;
};

struct RawNormalizer {
  std::string_view charsmap;
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
};

struct RawModel {
  std::vector<RawPiece> pieces;
  int model_type = 1;
  bool treat_whitespace_as_suffix = false;
  bool byte_fallback = false;
  bool has_pretokenization_delimiter = false;
  std::optional<std::string> unk_surface;
  RawNormalizer normalizer;
  RawNormalizer denormalizer;
};

void check(const ProtobufReader& reader, const LoadContext& context) {
  if (const auto at = reader.damaged()) {
    fail_input(context, "",
               fmt::format("damaged SentencePiece model: bad protobuf data at byte {}", *at));
  }
}

// A field with an unexpected wire type is an unknown field, as in every protobuf reader.
bool is(const ProtobufReader& r, std::uint32_t field, Wire wire) {
  return r.field() == field && r.wire() == wire;
}

RawPiece read_piece(ProtobufReader r, const LoadContext& context) {
  RawPiece out;
  while (r.next()) {
    if (is(r, 1, Wire::bytes)) {
      out.text = r.bytes();
    } else if (is(r, 2, Wire::fixed32)) {
      out.score = std::bit_cast<float>(r.fixed32());
    } else if (is(r, 3, Wire::varint) && r.varint() >= 1 && r.varint() <= 6) {
      out.type = static_cast<PieceType>(r.varint());
    }
  }
  check(r, context);
  return out;
}

void read_trainer(ProtobufReader r, const LoadContext& context, RawModel& model) {
  while (r.next()) {
    if (is(r, 3, Wire::varint) && r.varint() >= 1 && r.varint() <= 4) {
      model.model_type = static_cast<int>(r.varint());
    } else if (is(r, 24, Wire::varint)) {
      model.treat_whitespace_as_suffix = r.varint() != 0;
    } else if (is(r, 35, Wire::varint)) {
      model.byte_fallback = r.varint() != 0;
    } else if (is(r, 44, Wire::bytes)) {
      model.unk_surface = std::string(r.bytes());
    } else if (is(r, 53, Wire::bytes)) {
      model.has_pretokenization_delimiter = !r.bytes().empty();
    }
  }
  check(r, context);
}

void read_normalizer(ProtobufReader r, const LoadContext& context, RawNormalizer& out) {
  while (r.next()) {
    if (is(r, 2, Wire::bytes)) {
      out.charsmap = r.bytes();
    } else if (is(r, 3, Wire::varint)) {
      out.add_dummy_prefix = r.varint() != 0;
    } else if (is(r, 4, Wire::varint)) {
      out.remove_extra_whitespaces = r.varint() != 0;
    } else if (is(r, 5, Wire::varint)) {
      out.escape_whitespaces = r.varint() != 0;
    }
  }
  check(r, context);
}

RawModel read_raw(std::string_view bytes, const LoadContext& context) {
  RawModel out;
  ProtobufReader r(bytes);
  while (r.next()) {
    const ProtobufReader inner(r.bytes(), r.value_offset());
    if (is(r, 1, Wire::bytes)) out.pieces.push_back(read_piece(inner, context));
    if (is(r, 2, Wire::bytes)) read_trainer(inner, context, out);
    if (is(r, 3, Wire::bytes)) read_normalizer(inner, context, out.normalizer);
    if (is(r, 5, Wire::bytes)) read_normalizer(inner, context, out.denormalizer);
  }
  check(r, context);
  return out;
}

/// The byte that "<0x0A>" stands for, -1 for any other text.
int piece_byte(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    if (c >= '0' && c <= '9') {
      value = value * 16 + (c - '0');
    } else if (c >= 'A' && c <= 'F') {
      value = value * 16 + (c - 'A' + 10);
    } else {
      return -1;
    }
  }
  return value;
}

void refuse_unknown_kinds(const RawModel& raw, const LoadContext& context) {
  constexpr std::array<const char*, 5> kNames = {"", "UNIGRAM", "BPE", "WORD", "CHAR"};
  if (raw.model_type > 2) {
    fail_unsupported(context, "trainer_spec.model_type",
                     fmt::format("{} models are not implemented; UNIGRAM and BPE are",
                                 kNames[static_cast<std::size_t>(raw.model_type)]));
  }
}

class PieceChecker {
 public:
  PieceChecker(const RawModel& raw, LoadContext& context, TokenizerSpec& spec)
      : raw_(raw), context_(context), spec_(spec) {}

  /// Returns the id of the unknown piece, if any.
  std::optional<TokenId> run() {
    spec_.vocab.reserve(raw_.pieces.size(), raw_.pieces.size() * 8);
    for (std::size_t i = 0; i < raw_.pieces.size(); ++i) add(i);
    if (!unknown_ && !raw_.byte_fallback) {
      fail_input(context_, "pieces", "no piece of type UNKNOWN, and byte_fallback is off");
    }
    for (std::size_t b = 0; raw_.byte_fallback && b < 256; ++b) {
      if (!byte_seen_[b]) {
        fail_input(context_, "pieces",
                   fmt::format("byte_fallback is on but <0x{:02X}> is missing", b));
      }
    }
    refuse_repeated();
    return unknown_;
  }

 private:
  std::string place(std::size_t i) const { return fmt::format("pieces[{}]", i); }

  void add(std::size_t i) {
    RawPiece piece = raw_.pieces[i];
    constexpr std::size_t kMaxPieceBytes = 8000;  // the reference's own limit
    if (piece.text.size() >= kMaxPieceBytes) {
      fail_input(
          context_, place(i),
          fmt::format("piece of {} bytes; below {} expected", piece.text.size(), kMaxPieceBytes));
    }
    if (piece.text.empty()) fail_input(context_, place(i), "piece must not be empty");
    const bool is_null = piece.text == std::string_view("\0", 1);
    if (is_null && (raw_.byte_fallback || piece.type == PieceType::unused)) {
      // The reference keeps such a piece out of every table; of our types "control" says that:
      // never in text.
      piece.type = PieceType::control;
      context_.notes.push_back(fmt::format("{} is a single NUL and never used", place(i)));
    } else if (piece.text.find('\0') != std::string_view::npos) {
      fail_input(context_, place(i), "piece must not include a NUL character");
    }
    if (!std::isfinite(piece.score)) fail_input(context_, place(i), "score is NaN or infinite");
    if (piece.type == PieceType::unknown) {
      if (unknown_) fail_input(context_, place(i), "a second piece of type UNKNOWN");
      unknown_ = static_cast<TokenId>(i);
    }
    if (piece.type == PieceType::byte) {
      const int byte = piece_byte(piece.text);
      if (!raw_.byte_fallback || byte < 0) {
        fail_input(context_, place(i),
                   byte < 0 ? "a byte piece that is not of the form <0xHH>"
                            : "a byte piece although byte_fallback is off");
      }
      byte_seen_[static_cast<std::size_t>(byte)] = true;
    }
    if (!spec_.vocab.add(static_cast<TokenId>(i), piece.text)) {
      fail_input(context_, place(i), fmt::format("more than {} pieces", kMaxTokenId + 1));
    }
    spec_.piece_types.push_back(piece.type);
    if (piece.type == PieceType::control || piece.type == PieceType::unknown) {
      if (!is_null) add_special(i, piece.text);
    }
  }

  void add_special(std::size_t i, std::string_view text) {
    AddedToken token;
    token.id = static_cast<TokenId>(i);
    token.content = text;
    token.special = true;
    spec_.added_tokens.push_back(std::move(token));
  }

  void refuse_repeated() {
    spec_.vocab.index();
    if (spec_.vocab.distinct() == spec_.vocab.size()) return;
    for (TokenId id = 0; id < spec_.vocab.end_id(); ++id) {
      const TokenId other = spec_.vocab.find(spec_.vocab[id]);
      if (other == id) continue;
      const bool both = is_text(id) == is_text(other);
      if (both || raw_.model_type == 2) {
        fail_input(context_, place(other), "the same piece is already defined at " + place(id));
      }
      fail_unsupported(
          context_, place(other),
          fmt::format("the same text as an ordinary piece and as a control piece ({} and {})", id,
                      other));
    }
  }

  bool is_text(TokenId id) const {
    const PieceType type = spec_.piece_types[id];
    return type == PieceType::normal || type == PieceType::user_defined ||
           type == PieceType::unused;
  }

  const RawModel& raw_;
  LoadContext& context_;
  TokenizerSpec& spec_;
  std::optional<TokenId> unknown_;
  std::array<bool, 256> byte_seen_{};
};

}  // namespace

void load_sentencepiece(std::string_view bytes, LoadContext& context, TokenizerSpec& spec) {
  spec.kind = FileKind::sentencepiece;
  spec.reference = Reference::sentencepiece;
  spec.specials_by_default = false;
  const RawModel raw = read_raw(bytes, context);
  if (raw.pieces.empty()) fail_input(context, "pieces", "no pieces");
  refuse_unknown_kinds(raw, context);
  const std::optional<TokenId> unknown = PieceChecker(raw, context, spec).run();
  if (raw.model_type == 2) {
    Bpe model;
    model.priority = Bpe::Priority::scores;
    model.byte_fallback = raw.byte_fallback;
    if (unknown) model.unk_token = std::string(spec.vocab[*unknown]);
    model.score.reserve(raw.pieces.size());
    for (const RawPiece& piece : raw.pieces) model.score.push_back(piece.score);
    spec.model = std::move(model);
  } else {
    Unigram model;
    model.byte_fallback = raw.byte_fallback;
    model.unk_id = unknown;
    model.score.reserve(raw.pieces.size());
    for (const RawPiece& piece : raw.pieces)
      model.score.push_back(static_cast<double>(piece.score));
    spec.model = std::move(model);
  }
  spec.normalizers = {
      NormSentencePiece{std::string(raw.normalizer.charsmap), raw.normalizer.add_dummy_prefix,
                        raw.normalizer.remove_extra_whitespaces, raw.normalizer.escape_whitespaces,
                        raw.treat_whitespace_as_suffix}};
  spec.decoders = {DecSentencePiece{raw.normalizer.add_dummy_prefix,
                                    raw.normalizer.remove_extra_whitespaces,
                                    raw.treat_whitespace_as_suffix}};
  if (!raw.denormalizer.charsmap.empty()) {
    // The engine runs it without the trainer's settings: blanks are never put behind.
    std::get<DecSentencePiece>(spec.decoders.front()).denormalizer = NormSentencePiece{
        std::string(raw.denormalizer.charsmap), raw.denormalizer.add_dummy_prefix,
        raw.denormalizer.remove_extra_whitespaces, raw.denormalizer.escape_whitespaces, false};
  }
  if (raw.unk_surface) {
    std::get<DecSentencePiece>(spec.decoders.front()).unk_surface = *raw.unk_surface;
  }
  if (raw.has_pretokenization_delimiter) {
    context.notes.push_back("trainer_spec.pretokenization_delimiter concerns training only");
  }
}

}  // namespace toktier::model
