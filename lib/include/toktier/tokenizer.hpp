#pragma once
// The tokenizer: text to ids, spans, pieces and counts, and back.
//
// Contract: ids (and spans) equal those of the reference engine named by info() on the full text. A
// Tokenizer is immutable after loading and may be used by any number of threads at once; scratch
// space is per call or given by the caller. Texts are bytes in UTF-8.

#include "toktier/error.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier {

/// Which added (special, control) tokens are recognised when their text occurs in the input.
enum class SpecialMode {
  file_default,  ///< as a plain call of the reference: all for tokenizer.json, none for rank and
                 ///< .model files
  none,          ///< text that spells a control token is ordinary text
  all,
  list,  ///< only those in EncodeOptions::special_list
};

/// What to do with bytes that are not UTF-8.
enum class InvalidUtf8 {
  error,    ///< Error{input} naming the byte offset
  replace,  ///< each maximal ill-formed part becomes U+FFFD; spans refer to the replaced text
  raw,      ///< kept; rank files only, whose reference defines it (else Error{unsupported})
};

struct EncodeOptions {
  SpecialMode special = SpecialMode::file_default;
  std::vector<std::string> special_list;
  bool add_special = false;  ///< add the post-processor's tokens (BOS, [CLS], ...)
  bool truncate = true;      ///< truncation and padding as the file says
  bool want_spans = false;
  bool want_pieces = false;
  InvalidUtf8 invalid = InvalidUtf8::error;
};

/// One encoded document. Spans are byte offsets in the original text, as the reference reports them
/// (that engine reports code points; the ranges are the same characters).
struct Encoding {
  std::vector<TokenId> ids;
  std::vector<Span>
      spans;  // want_spans: one per id; (0,0) for tokens added by the post-processor and padding
  std::vector<Span> pieces;   // want_pieces: byte ranges of the ORIGINAL text of pre-tokens and
                              // added tokens, in order
  std::size_t truncated = 0;  // tokens cut off by the file's truncation
  std::size_t padded = 0;     // tokens added by the file's padding
  void clear() {
    ids.clear();
    spans.clear();
    pieces.clear();
    truncated = padded = 0;
  }
};

/// What a tokenizer file leaves open.
struct LoadOptions {
  /// WordPiece vocab.txt: fold case and accents. Absent: decided from the entries and noted.
  std::optional<bool> lowercase;
  /// Rank files whose ranks belong to several published encodings: which one ("p50k_edit",
  /// "o200k_harmony"). Empty: the base encoding of those ranks.
  std::string encoding;
};

/// A part of a prompt whose origin is known.
struct Part {
  std::string_view text;
  bool trusted = true;  // false: text that spells a control token stays text
};

/// What a loaded tokenizer is; every field is printable.
struct TokenizerInfo {
  std::string path, kind, fingerprint, reference, unicode, pattern, engine;
  std::size_t vocabulary = 0;
  std::vector<std::pair<std::string, std::string>> fields;  // further name/value rows for `inspect`
};

class StreamDecoder;
class Session;
class DriftStream;

class Tokenizer {
 public:
  /// Path, directory, name in TOKTIER_MODELS, or "embedded" for the built-in GPT-2 vocabulary.
  static Tokenizer load(const std::string& path_or_name, const LoadOptions& options = {});
  static Tokenizer load_bytes(std::string_view bytes, const std::string& shown_path,
                              std::string_view side = {}, const LoadOptions& options = {});
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  const TokenizerInfo& info() const;

  static constexpr std::size_t kDefaultCacheBytes = std::size_t{16} << 20;

  /// Per-thread scratch space and bounded piece cache; reuse it over calls for speed. Never changes
  /// results.
  class Scratch {
   public:
    /// `cache_bytes`: most bytes the piece cache may hold; 0 switches it off.
    explicit Scratch(const Tokenizer& tokenizer, std::size_t cache_bytes = kDefaultCacheBytes);
    Scratch(Scratch&&) noexcept;
    Scratch& operator=(Scratch&&) noexcept;
    ~Scratch();
    /// Bytes the piece cache holds now.
    std::size_t cache_bytes() const;

   private:
    friend class Tokenizer;
    friend class Session;
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  void encode(std::string_view text, const EncodeOptions& options, Scratch& scratch,
              Encoding& out) const;
  /// Joint text of all parts, exact at the joins; no control id comes from an untrusted part.
  /// `neutralised` (may be null) receives how many occurrences of control tokens were kept as text.
  Encoding encode_parts(std::span<const Part> parts, const EncodeOptions& options = {},
                        std::size_t* neutralised = nullptr) const;

  /// Number of ids encode() would give, without building them.
  std::size_t count(std::string_view text, const EncodeOptions& options = {}) const;
  std::size_t count(std::string_view text, const EncodeOptions& options, Scratch& scratch) const;
  /// min(count, limit + 1): stops early, and answers from byte bounds alone when those decide.
  std::size_t count_up_to(std::string_view text, std::size_t limit,
                          const EncodeOptions& options = {}) const;
  /// count <= limit, from byte bounds alone where those decide.
  bool fits(std::string_view text, std::size_t limit, const EncodeOptions& options = {}) const;

  /// Throws Error{input} for an id outside the vocabulary. The result is what the reference's
  /// decode gives (text); rank files: the raw bytes.
  std::string decode(std::span<const TokenId> ids, bool skip_special = false) const;

  /// The token's own text in the file, for display ("\u0120the"); empty when the id is unused. For
  /// tokenizer.json what the reference's id_to_token gives, so an added token that is looked for in
  /// normalized text is normalized here too.
  std::string_view token_text(TokenId id) const;
  TokenId end_id() const;  // one past the largest id, added tokens included
  bool is_special(TokenId id) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit Tokenizer(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
  friend class StreamDecoder;
  friend class Session;
  friend class DriftStream;
};

/// Decodes ids one after another. Gives out only bytes that can never change; the concatenation of
/// everything given out, finish() included, equals decode() of all ids. Never emits half a
/// character.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special = false);
  StreamDecoder(StreamDecoder&&) noexcept;
  StreamDecoder& operator=(StreamDecoder&&) noexcept;
  ~StreamDecoder();
  std::string push(TokenId id);
  std::string push(std::span<const TokenId> ids);
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier
