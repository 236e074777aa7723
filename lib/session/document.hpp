#pragma once
// A changing document of one tokenizer: what a session is without its public face. Ids here are
// those before the post-processor.

#include "encode/pipeline.hpp"
#include "encode/seams.hpp"
#include "session/rope.hpp"
#include "toktier/session.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::session {

/// One change, in tokens of the document: ids [keep, old size - tail) became `ids`.
struct Change {
  std::size_t keep = 0;
  std::size_t tail = 0;
  std::vector<TokenId> ids;
  /// No token of the first or last so many bytes was encoded again.
  std::size_t bytes_before = 0;
  std::size_t bytes_behind = 0;
};

/// What a change must be told beside itself.
struct Around {
  /// Untrusted bytes of the document as it will be: ascending, disjoint.
  std::span<const Span> untrusted{};
  /// Text just before the change, and all behind it, for documents that do not keep it.
  std::string_view left{};
  std::string_view right{};
};

class Document {
 public:
  /// The pipeline must outlive this and every copy. Copies share memory.
  Document(const encode::Pipeline& pipeline, std::shared_ptr<const added::SpecialFilter> filter,
           Grain grain = {})
      : pipeline_(&pipeline), filter_(std::move(filter)), rope_(grain) {}

  /// Replaces the bytes [begin, end) by `text`. `begin` and `end` are at character borders, `text`
  /// is well-formed, the document does not grow past kMaxDocumentBytes. Bytes whose trust changes
  /// are among those replaced. Throws Error{usage} when text is needed that is neither kept nor
  /// given.
  Change replace(std::size_t begin, std::size_t end, std::string_view text,
                 encode::EncodeScratch& scratch, const Around& around = {});
  /// How much of the text before `begin` a change there has to see.
  std::size_t left_needed(std::size_t begin) const;

  /// Tokens whose first byte is before `byte`. Needs the text kept, or given on the right, around
  /// `byte`. Where a model's spans are not the bytes of its tokens (it drops characters, or has
  /// affixes) they are counted from the last seam.
  std::size_t tokens_before(std::size_t byte, encode::EncodeScratch& scratch,
                            const Around& around = {}) const;
  /// Where the text of token `token` begins; bytes() past the last. As tokens_before().
  std::size_t begin_of(std::size_t token, encode::EncodeScratch& scratch,
                       const Around& around = {}) const;

  /// Forgets text that no append needs.
  void seal() { rope_.seal(pipeline_->seams().before() + 8); }
  const Rope& rope() const { return rope_; }
  const encode::Pipeline& pipeline() const { return *pipeline_; }
  void clear() { rope_.clear(); }
  /// As Rope::restore(); what is behind the blocks, if anything, is changed next.
  void restore(const std::vector<std::shared_ptr<const Rope::Block>>& blocks) {
    rope_.restore(blocks);
  }
  SessionStatistics statistics;

 private:
  struct Window;  // one change under way
  void encode_parts(Window& w, bool to_the_end, encode::EncodeScratch& scratch);
  void encode_part(Window& w, std::size_t end, bool open_right, encode::EncodeScratch& scratch);
  Place last_seam_before(std::size_t begin) const;
  void spans_between(const Place& from, const Place& to, const Around& around,
                     encode::EncodeScratch& scratch, Encoding& out) const;

  const encode::Pipeline* pipeline_;
  std::shared_ptr<const added::SpecialFilter> filter_;
  Rope rope_;
};

}  // namespace toktier::session
