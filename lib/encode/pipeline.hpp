#pragma once
// The composed stages of one tokenizer: the order of work of the reference, nothing else.
//
//   document -> [raw literals] -> per text segment: normalizer -> [normalized literals] ->
//   pre-tokenizer -> pieces -> model -> ids and lengths -> spans in the document -> truncation,
//   post-processor, padding
//
// A Pipeline is immutable and shared by all threads; an EncodeScratch belongs to one.

#include "added/added_tokens.hpp"
#include "bpe/model.hpp"
#include "decode/decoder.hpp"
#include "encode/blank_text.hpp"
#include "model/spec.hpp"
#include "normalize/normalizer.hpp"
#include "post/post_processor.hpp"
#include "pretok/pretokenizer.hpp"
#include "toktier/tokenizer.hpp"
#include "unicode/aligned_text.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace toktier::encode {

class Seams;

struct EncodeScratch {
  std::unique_ptr<bpe::Workspace> model;
  std::vector<added::Segment> raw_segments, normalized_segments;
  unicode::AlignedText text, slice;
  std::vector<pretok::Piece> pieces;
  std::vector<std::uint32_t> ends;
  std::vector<std::uint32_t> lengths;
  std::string fronted;   // a text with a blank in front
  std::string replaced;  // the document with ill-formed parts replaced
  // Token texts that the post-processor needs and the vocabulary does not know; filled only for
  // spans.
  struct OddText {
    std::size_t index;
    std::string text;
  };
  std::vector<OddText> odd_texts;
  std::vector<post::TokenText> token_texts;
};

/// A stretch of a document between two seams (seams.hpp), or between a seam and an end.
struct Part {
  std::string_view text;    ///< the stretch, and behind it `ahead` bytes of what follows
  std::uint32_t ahead = 0;  ///< seen by the splitter, not encoded
  bool open_left = false;   ///< the document goes on there: not its begin
  bool open_right = false;
  double carry = 0;  ///< what the model takes over the seam on the left; becomes that on the right
};

/// What one run produces besides ids; all optional.
struct EncodeWants {
  bool spans = false;
  bool pieces = false;
  added::Untrusted untrusted;
  std::size_t stop_after = SIZE_MAX;  ///< tokens; counting runs end after the batch that passes it
  bool count_only = false;            ///< ids are counted and dropped
};

class Pipeline {
 public:
  static std::unique_ptr<Pipeline> compile(model::TokenizerSpec spec);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();

  const model::TokenizerSpec& spec() const { return spec_; }
  const added::AddedTokens& added() const { return added_; }
  /// Built at its first use where building it cannot fail: encoding alone does not pay for it.
  const decode::Decoder& decoder() const;
  const post::PostProcessor& post() const { return post_; }
  const pretok::PreTokenizer& pre_tokenizer() const { return pre_tokenizer_; }
  const normalize::Normalizer& normalizer() const { return normalizer_; }
  const bpe::Model& model() const { return *model_; }

  std::unique_ptr<EncodeScratch> scratch(std::size_t cache_budget_bytes) const;

  /// Everything before truncation and post-processing; appends to `out` and returns the number of
  /// tokens. `text` is well-formed.
  std::size_t run(std::string_view text, const added::SpecialFilter& filter,
                  const EncodeWants& wants, EncodeScratch& scratch, Encoding& out) const;

  /// Appends the ids of a part to `out`: those of the parts of a document, put together, are those
  /// of the document. Untrusted ranges in `wants` are in part.text; spans come as places in it.
  void run_part(Part& part, const added::SpecialFilter& filter, const EncodeWants& wants,
                EncodeScratch& scratch, Encoding& out) const;
  void run_part(Part& part, const added::SpecialFilter& filter, EncodeScratch& scratch,
                Encoding& out) const {
    run_part(part, filter, {}, scratch, out);
  }
  /// Where parts may begin and end; worked out at its first use.
  const Seams& seams() const;

  /// The same for bytes whose first ill-formed sequence is at `well_formed`. Throws
  /// Error{unsupported} unless byte_safe().
  std::size_t run_raw(std::string_view bytes, std::size_t well_formed, const EncodeWants& wants,
                      EncodeScratch& scratch, Encoding& out) const;

  /// The reference defines ids for any bytes.
  bool byte_safe() const { return byte_safe_; }
  /// The model is given the byte alphabet's characters as text.
  bool maps_bytes() const { return map_bytes_; }
  /// Each byte of a document is in exactly one token: byte bounds on counts hold.
  bool tiles() const { return tiles_; }
  std::size_t longest_token_bytes() const { return longest_token_; }

 private:
  explicit Pipeline(model::TokenizerSpec spec);
  struct Run;

  model::TokenizerSpec spec_;
  normalize::Normalizer normalizer_;
  added::AddedTokens added_;
  pretok::PreTokenizer pre_tokenizer_;
  bool map_bytes_ = false;               // the model reads the byte alphabet as text
  std::optional<BlankText> blank_text_;  // the model may read texts as they stand
  std::unique_ptr<bpe::Model> model_;
  mutable std::once_flag decoder_once_;
  mutable std::optional<decode::Decoder> decoder_;
  mutable std::once_flag seams_once_;
  mutable std::unique_ptr<const Seams> seams_;
  post::PostProcessor post_;
  bool byte_safe_ = false;
  bool tiles_ = false;
  bool sentencepiece_ = false;
  // Ids that are an added token's and, with another text, a vocabulary entry's: the model's own
  // tokens of that id carry the latter. By id; empty when there are none.
  std::vector<bool> two_texts_;
  std::size_t longest_token_ = 0;
};

}  // namespace toktier::encode
