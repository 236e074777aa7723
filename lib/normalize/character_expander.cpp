// Steps that put some characters apart or spell them otherwise, each on its own: Lowercase, the
// BertNormalizer's blanks around CJK characters, and ByteLevel.

#include "normalize/step.hpp"
#include "unicode/code_point_map.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

#include <array>

namespace toktier::normalize {
namespace {

using unicode::AlignedText;

class Lowercase final : public Step {
 public:
  Lowercase() : upper_(unicode::rust::has_lower(), 1) {}

  void run(AlignedText& text) const override {
    const std::string_view view = text.text();
    std::size_t at = next(view, 0);
    if (at == view.size() && text.regular()) return;
    AlignedText::Transform transform(text);
    std::string bytes;
    std::size_t done = 0;
    while (at < view.size()) {
      transform.keep(view.substr(done, at - done));
      if (static_cast<unsigned char>(view[at]) < 0x80) {
        at = lower_ascii(view, at, bytes, transform);
      } else {
        const unicode::Decoded d = unicode::decode(view.data() + at);
        int change = 0;
        for (const char32_t c : unicode::rust::lower(d.code_point)) {
          bytes.clear();
          unicode::append_utf8(bytes, c);
          transform.push(bytes, change);
          change = 1;
        }
        at += d.length;
      }
      done = at;
      at = next(view, at);
    }
    transform.keep(view.substr(done));
    transform.finish();
  }

  bool apart(Border& b) const override { return apart_by_character(*this, b); }

 private:
  std::size_t next(std::string_view view, std::size_t at) const {
    while (at < view.size()) {
      const unicode::Decoded d = unicode::decode(view.data() + at);
      if (upper_[d.code_point] != 0) return at;
      at += d.length;
    }
    return at;
  }

  /// Lowers the ASCII run that begins at `at`; returns its end. ASCII letters have ASCII lower
  /// cases.
  static std::size_t lower_ascii(std::string_view view, std::size_t at, std::string& bytes,
                                 AlignedText::Transform& transform) {
    const std::size_t end = unicode::skip_ascii(view, at);
    bytes.assign(view.substr(at, end - at));
    for (char& c : bytes) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    transform.replace_ascii(view.substr(at, end - at), bytes);
    return end;
  }

  unicode::CodePointMap upper_;
};

class BertChinese final : public Step {
 public:
  BertChinese() : chinese_(unicode::rust::bert_chinese(), 1) {}

  void run(AlignedText& text) const override {
    const std::string_view view = text.text();
    std::size_t at = next(view, 0);
    if (at == view.size() && text.regular()) return;
    AlignedText::Transform transform(text);
    std::size_t done = 0;
    while (at < view.size()) {
      transform.keep(view.substr(done, at - done));
      const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(view[at]));
      transform.push(" ", 0);
      transform.push(view.substr(at, length), 1);
      transform.push(" ", 1);
      at += length;
      done = at;
      at = next(view, at);
    }
    transform.keep(view.substr(done));
    transform.finish();
  }

  bool apart(Border& b) const override { return apart_by_character(*this, b); }

 private:
  std::size_t next(std::string_view view, std::size_t at) const {
    while (at < view.size()) {
      if (static_cast<unsigned char>(view[at]) < 0x80) {
        at = unicode::skip_ascii(view, at);
        continue;
      }
      const unicode::Decoded d = unicode::decode(view.data() + at);
      if (chinese_[d.code_point] != 0) return at;
      at += d.length;
    }
    return at;
  }

  unicode::CodePointMap chinese_;
};

/// The printable stand-in of each byte in GPT-2's byte alphabet: printable Latin-1 bytes stand for
/// themselves, the others get the characters from U+0100 on, in order.
std::array<std::string, 256> byte_alphabet() {
  std::array<std::string, 256> out;
  char32_t spare = 0x100;
  for (char32_t b = 0; b < 256; ++b) {
    const bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
    unicode::append_utf8(out[b], printable ? b : spare++);
  }
  return out;
}

class ByteLevel final : public Step {
 public:
  ByteLevel() : alphabet_(byte_alphabet()) {}

  void run(AlignedText& text) const override {
    const std::string_view view = text.text();
    if (view.empty()) return;
    std::size_t at = next(view, 0);
    if (at == view.size() && text.regular()) return;
    AlignedText::Transform transform(text);
    std::size_t done = 0;
    while (at < view.size()) {
      transform.keep(view.substr(done, at - done));
      const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(view[at]));
      for (std::uint32_t i = 0; i < length; ++i) {
        transform.push(alphabet_[static_cast<unsigned char>(view[at + i])], i == 0 ? 0 : 1);
      }
      at += length;
      done = at;
      at = next(view, at);
    }
    transform.keep(view.substr(done));
    transform.finish();
  }

  bool apart(Border& b) const override { return apart_by_character(*this, b); }

 private:
  static std::size_t next(std::string_view view, std::size_t at) {
    while (at < view.size() && view[at] >= 0x21 && view[at] <= 0x7E) ++at;
    return at;
  }

  std::array<std::string, 256> alphabet_;
};

}  // namespace

StepPointer make_lowercase() { return std::make_unique<Lowercase>(); }
StepPointer make_bert_chinese() { return std::make_unique<BertChinese>(); }
StepPointer make_byte_level() { return std::make_unique<ByteLevel>(); }

}  // namespace toktier::normalize
