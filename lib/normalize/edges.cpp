// Steps at the two ends of a text: Prepend, Append, Strip.

#include "normalize/step.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

namespace toktier::normalize {
namespace {

using unicode::AlignedText;

class Prepend final : public Step {
 public:
  explicit Prepend(std::string content) : content_(std::move(content)) {}
  void run(AlignedText& text) const override { text.prepend(content_); }
  void run_open(AlignedText& text, Open open) const override {
    if (!open.left) run(text);
  }
  // Nothing is put before an empty text, so the left part must hold a character.
  bool apart(Border& b) const override { return b.x != kUnknownCharacter; }
  bool extends() const override { return true; }
  bool transforms() const override { return false; }

 private:
  std::string content_;
};

class Append final : public Step {
 public:
  explicit Append(std::string content) : content_(std::move(content)) {}
  void run(AlignedText& text) const override { text.append(content_); }
  void run_open(AlignedText& text, Open open) const override {
    if (!open.right) run(text);
  }
  bool apart(Border&) const override { return true; }
  bool transforms() const override { return false; }

 private:
  std::string content_;
};

class Strip final : public Step {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}

  void run(AlignedText& text) const override { strip(text, left_, right_); }
  void run_open(AlignedText& text, Open open) const override {
    strip(text, left_ && !open.left, right_ && !open.right);
  }
  // What is stripped ends at a character that is no white space, seen from either side.
  bool apart(Border& b) const override {
    const unicode::CodePointSet& white = unicode::rust::white_space();
    b.may_vanish |= right_ && (b.y == kUnknownCharacter || white.contains(b.y));
    return b.x != kUnknownCharacter && !white.contains(b.x);
  }

 private:
  static void strip(AlignedText& text, bool left, bool right) {
    if (!left && !right) return;
    const std::string_view view = text.text();
    const unicode::CodePointSet& white = unicode::rust::white_space();
    std::size_t begin = 0;
    std::uint32_t leading = 0;
    while (left && begin < view.size()) {
      const unicode::Decoded d = unicode::decode(view.data() + begin);
      if (!white.contains(d.code_point)) break;
      begin += d.length;
      ++leading;
    }
    std::size_t end = view.size();
    while (right && end > begin) {
      std::size_t at = end - 1;
      while ((static_cast<unsigned char>(view[at]) & 0xC0) == 0x80) --at;
      if (!white.contains(unicode::decode(view.data() + at).code_point)) break;
      end = at;
    }
    if (begin == 0 && end == view.size()) return;
    AlignedText::Transform transform(text);
    transform.skip(leading);
    transform.keep(view.substr(begin, end - begin));
    transform.finish();
  }

  bool left_;
  bool right_;
};

}  // namespace

StepPointer make_prepend(const std::string& content) { return std::make_unique<Prepend>(content); }
StepPointer make_append(const std::string& content) { return std::make_unique<Append>(content); }
StepPointer make_strip(bool left, bool right) { return std::make_unique<Strip>(left, right); }

}  // namespace toktier::normalize
