#pragma once
// Seams: places where a document may be cut so that its ids are the ids of its parts.
//
// A place p between two characters is a seam when this is proved from the bytes near it alone: in
// EVERY document that holds those bytes there,
//     ids(document) = ids(part before p) ids(part behind p)
// the parts being encoded by Pipeline::run_part() with their ends at p open. So a seam stays one
// whatever is appended, and whatever is edited outside the bytes its proof has looked at: at most
// before() bytes on its left, behind() bytes on its right. Two seams bound a stretch that can be
// encoded again by itself. That is all a session needs; nothing is compared, nothing converges by
// luck.
//
// The proof, stage by stage (each stage's own argument stands at the code named):
//   literals     none lies across p, touches it, or takes white space from across it
//                (added/parts.cpp); so p is inside a segment of text and both searches agree;
//   normalizer   the border at p is apart (normalize/border.hpp): the normalized text is the
//                normalized parts put together. `a` and `b` below are normalized text just before
//                and just behind p, taken between further borders that are apart;
//   normalized literals: as above, on a b;
//   pre-tokenizer (PreTokenizer::cut_rule()):
//     automaton  a piece boundary that is certain from the right (pretok/sync_automaton.hpp). No
//                attempt that starts before it reads more than the one character behind it: an
//                attempt alive there would be in the sync state. So the left part is split as the
//                whole when it is shown that character (Part::ahead). Here the normalizer must
//                leave the bytes looked at as they are;
//     neighbours the characters beside p make some step cut there (pretok/neighbours.hpp);
//     whole      the chain does not cut near p: p is inside a piece, and the model must vouch for
//     it
//                (bpe::Model::parts_at()), carrying over what it says it needs;
//   model        pieces are encoded one by one, whatever stands beside them;
//   post         is applied to the whole sequence of ids by the session.
// Immutable; shared by threads.

#include "encode/pipeline.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace toktier::encode {

class Seams {
 public:
  explicit Seams(const Pipeline& pipeline);

  /// Why this tokenizer has no seams; empty when it may have some.
  const std::string& refusal() const { return refusal_; }
  /// How far a proof looks, in bytes.
  std::size_t before() const { return before_; }
  std::size_t behind() const { return behind_; }
  /// The model takes a number over a seam: the same stretch may have other ids behind another one.
  bool carries() const { return carries_; }
  /// Bytes that a part which ends at seam `at` of `text` must be shown of what follows.
  std::uint32_t ahead(std::string_view text, std::size_t at) const;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// The first seam found in (from, to]; kNone when there is none or it would take long to find.
  /// `text` is well-formed, a stretch of the document; `from` and `to` are in it.
  std::size_t first(std::string_view text, std::size_t from, std::size_t to,
                    EncodeScratch& scratch) const;
  /// The last seam found in (from, text.size()).
  std::size_t last(std::string_view text, std::size_t from, EncodeScratch& scratch) const;

 private:
  struct Look;  // one place under examination
  bool holds(std::string_view text, std::size_t at, std::size_t certain_from,
             EncodeScratch& scratch) const;
  bool normalized_around(Look& look, EncodeScratch& scratch) const;
  bool may_hold(std::string_view text, std::size_t at) const;
  std::size_t first_certain(std::string_view text, std::size_t from, std::size_t to, bool want_last,
                            EncodeScratch& scratch) const;
  std::size_t first_neighbour(std::string_view text, std::size_t from, std::size_t to,
                              bool want_last, EncodeScratch& scratch) const;

  const Pipeline& pipeline_;
  pretok::CutRule rule_;
  bool carries_ = false;
  bool identity_ = true;   // the normalizer does nothing
  std::size_t need_ = 0;   // bytes of normalized text to look at on each side
  std::size_t clear_ = 0;  // bytes before a place that shall hold no literal
  std::size_t before_ = 0;
  std::size_t behind_ = 0;
  std::string refusal_;
};

}  // namespace toktier::encode
