#pragma once
// The canonical form of a tokenizer file: what the file says, checked, with nothing guessed and
// nothing compiled. Loaders (one file per format) produce it; the stage rooms compile their part of
// it. Plain data; immutable and shared after loading.

#include "model/vocab.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace toktier::model {

enum class FileKind { tokenizer_json, tiktoken, tekken, sentencepiece, wordpiece_vocab };

/// The engine whose ids we promise: "tokenizers 0.23.3", "tiktoken 0.14.0", "sentencepiece 0.2.3".
/// It also selects the Unicode profile and the quirks.
enum class Reference { hf_tokenizers, tiktoken, sentencepiece };

// ---- normalizers, in order of application (Sequences are flattened)
// ----------------------------------------------
struct StringOrRegex {
  bool is_regex = false;
  std::string text;
  std::string field{};  // where the file has it, for messages; empty: not known
};
struct NormNfc {};
struct NormNfd {};
struct NormNfkc {};
struct NormNfkd {};
struct NormNmt {};
struct NormStripAccents {};
struct NormLowercase {};
struct NormPrepend {
  std::string text;
};
struct NormAppend {
  std::string text;
};
struct NormReplace {
  StringOrRegex pattern;
  std::string content;
};
struct NormStrip {
  bool left = true;
  bool right = true;
};
struct NormPrecompiled {
  std::string charsmap;
};  // decoded bytes; empty = identity (legal)
struct NormBert {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  std::optional<bool> strip_accents;
  bool lowercase = true;
};
struct NormByteLevel {};
/// The whole normalizer of a SentencePiece .model, in its own engine's order and rules.
struct NormSentencePiece {
  std::string charsmap;
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool treat_whitespace_as_suffix = false;
};
using Normalizer = std::variant<NormNfc, NormNfd, NormNfkc, NormNfkd, NormNmt, NormStripAccents,
                                NormLowercase, NormPrepend, NormAppend, NormReplace, NormStrip,
                                NormPrecompiled, NormBert, NormByteLevel, NormSentencePiece>;

// ---- pre-tokenizers, in order (Sequences are flattened)
// -----------------------------------------------------------
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };
enum class PrependScheme { first, never, always };
struct PreByteLevel {
  bool add_prefix_space = true;
  bool use_regex = true;
};
struct PreSplit {
  StringOrRegex pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;
};
struct PreDigits {
  bool individual_digits = false;
};
struct PrePunctuation {
  SplitBehavior behavior = SplitBehavior::isolated;
};
struct PreMetaspace {
  std::string replacement = "\xE2\x96\x81";  // one character
  PrependScheme prepend_scheme = PrependScheme::always;
  bool split = true;
};
struct PreWhitespace {};
struct PreWhitespaceSplit {};
struct PreBert {};
struct PreCharDelimiterSplit {
  char32_t delimiter = 0;
};
struct PreUnicodeScripts {};
struct PreFixedLength {
  std::size_t length = 5;
};  // code points
using PreTokenizer = std::variant<PreByteLevel, PreSplit, PreDigits, PrePunctuation, PreMetaspace,
                                  PreWhitespace, PreWhitespaceSplit, PreBert, PreCharDelimiterSplit,
                                  PreUnicodeScripts, PreFixedLength>;

// ---- models
// --------------------------------------------------------------------------------------------------------
struct Merge {
  TokenId left;
  TokenId right;
  TokenId result;
};
struct Bpe {
  /// Where merge priorities come from. list: `merges`, index = rank, a pair listed twice keeps the
  /// LAST rank. ranks: any adjacent pair whose joined bytes are a token merges, lowest `rank[id]`
  /// first (tiktoken). scores: the same, highest `score[id]` first (SentencePiece).
  enum class Priority { list, ranks, scores } priority = Priority::list;
  std::vector<Merge> merges;
  std::vector<std::uint32_t> rank;  // by id, ranks only
  std::vector<float> score;         // by id, scores only
  std::optional<std::string> unk_token;
  bool fuse_unk = false;
  bool byte_fallback = false;
  bool ignore_merges = false;  // true for rank files: the whole piece is looked up first
  std::string continuing_subword_prefix;
  std::string end_of_word_suffix;
};
struct WordPiece {
  std::string unk_token = "[UNK]";
  std::string continuing_subword_prefix = "##";
  std::size_t max_input_chars_per_word = 100;
};
struct WordLevel {
  std::string unk_token = "<unk>";
};
struct Unigram {
  std::vector<double> score;  // by id
  std::optional<TokenId> unk_id;
  bool byte_fallback = false;
};

/// Piece types of a SentencePiece .model, by id; empty for other kinds.
enum class PieceType : std::uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

// ---- added tokens, post-processor, decoder
// -------------------------------------------------------------------------
struct AddedToken {
  TokenId id = 0;
  std::string content;
  bool special = false;
  bool lstrip = false;
  bool rstrip = false;
  bool single_word = false;
  bool normalized = false;
};

struct TemplatePiece {
  enum class Kind { sequence_a, sequence_b, tokens } kind = Kind::sequence_a;
  std::vector<TokenId> ids;  // for tokens
  std::uint32_t type_id = 0;
};
struct PostTemplate {
  std::vector<TemplatePiece> single;
};
struct PostBert {
  TokenId sep;
  TokenId cls;
};
struct PostRoberta {
  TokenId sep;
  TokenId cls;
  bool trim_offsets = true;
  bool add_prefix_space = true;
};
struct PostByteLevel {
  bool trim_offsets = true;
  bool add_prefix_space = true;
};
using PostProcessor = std::variant<PostTemplate, PostBert, PostRoberta, PostByteLevel>;

struct DecByteLevel {};
struct DecByteFallback {};
struct DecFuse {};
struct DecReplace {
  StringOrRegex pattern;
  std::string content;
};
struct DecStrip {
  char32_t content = ' ';
  std::size_t start = 0;
  std::size_t stop = 0;
};
struct DecMetaspace {
  std::string replacement = "\xE2\x96\x81";
  PrependScheme prepend_scheme = PrependScheme::always;
};
struct DecWordPiece {
  std::string prefix = "##";
  bool cleanup = true;
};
struct DecBpe {
  std::string suffix = "</w>";
};
struct DecCtc {
  std::string pad_token;
  std::string word_delimiter_token;
  bool cleanup = true;
};
struct DecRawBytes {};     // rank files: token bytes joined
struct DecSentencePiece {  // .model files: the original decoder
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool treat_whitespace_as_suffix = false;
  std::string unk_surface =
      " \xE2\x81\x87 ";  // trainer_spec.unk_surface: what the unknown piece decodes to
  /// denormalizer_spec, run over the whole decoded text; only with a character map.
  std::optional<NormSentencePiece> denormalizer{};
};
using Decoder =
    std::variant<DecByteLevel, DecByteFallback, DecFuse, DecReplace, DecStrip, DecMetaspace,
                 DecWordPiece, DecBpe, DecCtc, DecRawBytes, DecSentencePiece>;

struct Truncation {
  std::size_t max_length = 0;
  std::size_t stride = 0;
  enum class Strategy { longest_first, only_first, only_second } strategy = Strategy::longest_first;
  bool left = false;  // direction
};
struct Padding {
  std::optional<std::size_t> fixed;  // absent: batch longest (nothing to do for one document)
  std::size_t pad_to_multiple_of = 0;
  bool left = false;
  TokenId pad_id = 0;
  std::uint32_t pad_type_id = 0;
  std::string pad_token;
};

struct TokenizerSpec {
  FileKind kind = FileKind::tokenizer_json;
  Reference reference = Reference::hf_tokenizers;
  std::string path;  // as given
  std::string
      fingerprint;  // sha256, hex, of every byte that can change ids (decompressed file contents)
  std::vector<Normalizer> normalizers;
  std::vector<PreTokenizer> pre_tokenizers;  // rank files: one PreSplit, isolated, with the pattern
  std::variant<Bpe, WordPiece, Unigram, WordLevel> model;
  Vocab vocab;  // token strings as the file has them (raw bytes for rank files)
  std::vector<PieceType> piece_types;    // SentencePiece only
  std::vector<AddedToken> added_tokens;  // in the file's order; specials of rank files too
  std::vector<PostProcessor> post_processors;
  std::vector<Decoder> decoders;  // empty: token strings joined by blanks, as the reference does
  std::optional<Truncation> truncation;
  std::optional<Padding> padding;
  /// For tokenizer.json a plain call of the reference recognises added tokens in text; for rank
  /// files and .model files it does not.
  bool specials_by_default = true;
  std::vector<std::string>
      notes;  // things a user should know ("unused field model.x ignored by the reference")
};

/// Answers to questions that some file formats leave open. An option that does not apply to the
/// file is ignored.
struct LoadOptions {
  /// WordPiece vocab.txt: fold case (and accents). Absent: decided from the entries, see
  /// TokenizerSpec::notes.
  std::optional<bool> lowercase;
  /// Rank files whose ranks belong to several published encodings: which one ("p50k_edit",
  /// "o200k_harmony"). Empty: the base encoding of those ranks. A name that does not fit the ranks
  /// is refused.
  std::string encoding;
};

/// Loads a path, a directory holding one known file, or a name looked up in TOKTIER_MODELS
/// (directories separated by
/// ':'). Decompresses zstd. The kind is found from the content, never from the file's name. Ids
/// above kMaxTokenId (2^24 - 1) and files above 4 GiB unpacked are refused. Throws Error{input}
/// (damaged, with file and field) or Error{unsupported} (refused by name: file, field, value, what
/// would be needed). Never crashes or hangs on any bytes. Thread-safe.
TokenizerSpec load(const std::string& path_or_name, const LoadOptions& options = {});
/// The same on bytes in memory (tests, fuzzing, the embedded tokenizer). `side` = text of
/// encoding.json, if any.
TokenizerSpec load_bytes(std::string_view bytes, const std::string& shown_path,
                         std::string_view side = {}, const LoadOptions& options = {});

}  // namespace toktier::model
