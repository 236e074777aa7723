#pragma once
// Text under rewriting, with a map from each of its bytes to the bytes of the original it stands for.
//
// The map follows the alignment rules of the Hugging Face NormalizedString, so spans equal that engine's offsets.
// While nothing has changed (`identity()`), no map is stored and all views point into the original. With
// `track == false` no map is ever stored (ids-only encoding) and `original` must not be called.
// Not thread-safe; meant to be reused as scratch space by one worker.

#include <string>
#include <string_view>
#include <vector>

#include "toktier/types.hpp"

namespace toktier::unicode {

class AlignedText {
 public:
  /// Starts over on `original`, which must outlive this object's use. `base` is the byte offset of `original` in
  /// the document; spans returned are relative to the document.
  void reset(std::string_view original, std::uint32_t base, bool track);

  std::string_view text() const { return changed_ ? std::string_view(text_) : original_; }
  bool identity() const { return !changed_; }
  bool tracked() const { return track_; }
  std::uint32_t base() const { return base_; }

  /// The bytes of the document that `part` (byte range of text()) stands for: from the first byte's source begin to
  /// the last byte's source end. An empty range maps as the reference maps it.
  Span original(Span part) const;
  /// The source of one byte of text().
  Span source(std::uint32_t at) const;

  /// Builds the next version of the text in one pass over the present one. Exactly one may be live.
  class Rewrite {
   public:
    explicit Rewrite(AlignedText& target) : target_(target) {}
    std::uint32_t position() const { return at_; }  // next unread byte of the present text
    void keep(std::uint32_t bytes);                 // copy, sources unchanged
    void drop(std::uint32_t bytes);                 // consume without output
    void put(std::string_view bytes, Span source);  // output standing for `source`, a range in the DOCUMENT
    /// Replaces the text. When nothing but keep() was called the text stays as it was.
    void finish();

   private:
    AlignedText& target_;
    std::uint32_t at_ = 0;
    bool changed_ = false;
    std::string out_;
    std::vector<Span> sources_;
    void start_change();
  };

 private:
  friend class Rewrite;
  std::string_view original_;
  std::uint32_t base_ = 0;
  bool track_ = false;
  bool changed_ = false;
  std::string text_;
  std::vector<Span> sources_;  // one per byte of text_ when tracked and changed
};

}  // namespace toktier::unicode
