#pragma once
// A changing document of one tokenizer: what a session is without its public face. Ids here are
// those before the post-processor.

#include "encode/pipeline.hpp"
#include "encode/seams.hpp"
#include "session/rope.hpp"
#include "toktier/session.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::session {

/// One change, in tokens of the document: ids [keep, old size - tail) became `ids`.
struct Change {
  std::size_t keep = 0;
  std::size_t tail = 0;
  std::vector<TokenId> ids;
};

class Document {
 public:
  /// The pipeline must outlive this and every copy. Copies share memory.
  Document(const encode::Pipeline& pipeline, std::shared_ptr<const added::SpecialFilter> filter,
           Grain grain = {})
      : pipeline_(&pipeline), filter_(std::move(filter)), rope_(grain) {}

  /// Replaces the bytes [begin, end) by `text`. `begin` and `end` are at character borders, `text`
  /// is well-formed, the document does not grow past kMaxDocumentBytes.
  Change replace(std::size_t begin, std::size_t end, std::string_view text,
                 encode::EncodeScratch& scratch);

  const Rope& rope() const { return rope_; }
  void clear() { rope_.clear(); }
  SessionStatistics statistics;

 private:
  struct Window;  // one change under way
  void encode_parts(Window& w, bool to_the_end, encode::EncodeScratch& scratch);
  void encode_part(Window& w, std::size_t end, bool open_right, encode::EncodeScratch& scratch);

  const encode::Pipeline* pipeline_;
  std::shared_ptr<const added::SpecialFilter> filter_;
  Rope rope_;
};

}  // namespace toktier::session
