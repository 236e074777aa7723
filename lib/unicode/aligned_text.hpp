#pragma once
// Text under rewriting, with a map from each of its bytes to the bytes of the original it stands
// for.
//
// The map follows the alignment rules of the Hugging Face NormalizedString, so spans equal that
// engine's offsets. While nothing has changed (`identity()`), no map is stored and all views point
// into the original. With `track == false` no map is ever stored (ids-only encoding) and `original`
// must not be called. Not thread-safe; meant to be reused as scratch space by one worker.

#include "toktier/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace toktier::unicode {

class AlignedText {
 public:
  /// Starts over on `original`, which must outlive this object's use and be well-formed UTF-8.
  /// `base` is the byte offset of `original` in the document; spans returned are relative to the
  /// document.
  void reset(std::string_view original, std::uint32_t base, bool track);

  /// Becomes the part of `whole` (byte range of its text(), at character borders): the text between
  /// two literals. The part's first source is its base, as in the reference's slices. `whole` must
  /// outlive the use of an unchanged part.
  void assign_slice(const AlignedText& whole, Span part);

  std::string_view text() const { return changed_ ? std::string_view(text_) : original_; }
  bool identity() const { return !changed_; }
  bool tracked() const { return track_; }
  /// False when leading characters stand for nothing: then even a transformation that changes no
  /// character changes the text (see Transform), and no step may leave it out.
  bool regular() const { return zero_prefix_ == 0; }
  std::uint32_t base() const { return base_; }

  /// The bytes of the document that `part` (byte range of text()) stands for: from the first byte's
  /// source begin to the last byte's source end. An empty range maps as the reference maps it: to
  /// the same two numbers, read as offsets in the original.
  Span original(Span part) const;
  /// The source of one byte of text(): the whole original character(s) it stands for.
  Span source(std::uint32_t at) const;

  /// The reference's three edits of a whole text. prepend() does nothing to an empty text; append()
  /// does. prepend("") keeps the text but makes the first character stand for nothing, as the
  /// reference does.
  void prepend(std::string_view content);
  void append(std::string_view content);
  /// Every occurrence of one ASCII byte becomes `content`, which stands for what the byte stood
  /// for.
  void replace_byte(char byte, std::string_view content);

  /// Builds the next version of the text in one pass over the present one. Exactly one may be live.
  class Rewrite {
   public:
    explicit Rewrite(AlignedText& target);
    std::uint32_t position() const { return at_; }  // next unread byte of the present text
    void keep(std::uint32_t bytes);                 // copy, sources unchanged
    void keep_as(std::string_view bytes);  // as keep(bytes.size()), with other bytes in their place
    void drop(std::uint32_t bytes);        // consume without output
    void put(std::string_view bytes,
             Span source);  // output standing for `source`, a range in the DOCUMENT
    /// Output that stands for the same as the byte just before position() in the PRESENT text; for
    /// nothing (an empty span at the base) when position() is 0. This is how the reference aligns
    /// added characters.
    void insert(std::string_view bytes);
    /// Replaces the text; what was neither kept nor dropped is kept. When nothing but keep() was
    /// called the text stays as it was.
    void finish();

   private:
    AlignedText& target_;
    std::uint32_t at_ = 0;
    bool changed_ = false;
    std::uint32_t zero_out_ = 0;  // leading output bytes with an empty source
    void start_change();
    void emit(std::string_view bytes, Span source);
    void copy_kept(std::uint32_t begin, std::uint32_t end);
  };

  /// The reference's transformation of a whole text: a stream of characters, each with a change of
  /// 0 (stands for the next present character), +1 (added) or -n (stands for the next, and n
  /// further ones vanish). Includes that engine's habit of leaving out leading characters that
  /// stand for nothing: they stay, and the stream follows them. Throws Error{unsupported} where the
  /// reference itself fails (it runs past its own map).
  class Transform {
   public:
    explicit Transform(AlignedText& target);
    /// Characters of the present text, unchanged. `run` is a part of text(); fast while the stream
    /// is in step with it.
    void keep(std::string_view run);
    /// As keep(run) for ASCII, each character replaced by the ASCII character of `replacement` in
    /// its place.
    void replace_ascii(std::string_view run, std::string_view replacement);
    /// One character, in UTF-8, with its change.
    void push(std::string_view character, int change);
    /// `characters` present characters vanish.
    void skip(std::uint32_t characters);
    void finish();

   private:
    AlignedText& target_;
    Rewrite rewrite_;
    bool odd_ = false;      // the range transformed does not begin at 0
    bool consumes_ = true;  // false: the range is empty, nothing is replaced
  };

 private:
  /// The sources of the bytes [begin, end) of the untouched original; both are character
  /// boundaries.
  void fill_identity(std::uint32_t begin, std::uint32_t end, Span* out) const;

  std::string_view original_;
  std::uint32_t base_ = 0;
  bool track_ = false;
  bool changed_ = false;
  std::uint32_t zero_prefix_ =
      0;  // leading bytes of text() with an empty source, kept even when not tracked
  std::string text_;
  std::vector<Span> sources_;  // one per byte of text_ when tracked and changed
  std::string spare_text_;     // the text being built; kept for its capacity
  std::vector<Span> spare_sources_;
};

}  // namespace toktier::unicode
