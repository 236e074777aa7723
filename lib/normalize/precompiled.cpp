// Precompiled: SentencePiece's character map as the Hugging Face engine applies it, which is not
// SentencePiece's way. A grapheme cluster of less than 6 bytes that BEGINS with a key is replaced
// as a whole by the text of its shortest such key; otherwise each of its characters is looked up
// alone.

#include "normalize/charsmap.hpp"
#include "normalize/graphemes.hpp"
#include "normalize/step.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

#include <array>

namespace toktier::normalize {
namespace {

using unicode::AlignedText;

constexpr std::size_t kWholeBelow = 6;  // bytes

/// Feeds a transformation one character late, because a removal is counted on the character before
/// it, whatever that one's own change was.
class LateSink {
 public:
  explicit LateSink(AlignedText::Transform& transform) : transform_(transform) {}

  void keep(std::string_view run) {
    if (run.empty()) return;
    flush();
    std::size_t last = run.size() - 1;
    while ((static_cast<unsigned char>(run[last]) & 0xC0) == 0x80) --last;
    transform_.keep(run.substr(0, last));
    late_ = run.substr(last);
    change_ = 0;
  }

  /// `part` of the text becomes `text`.
  void replace(std::string_view part, std::string_view text) {
    const auto before = static_cast<int>(unicode::count_code_points(part));
    const auto after = static_cast<int>(unicode::count_code_points(text));
    int i = 0;
    for (std::size_t at = 0; at < text.size(); ++i) {
      const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(text[at]));
      flush();
      late_ = text.substr(at, length);
      change_ = i < before ? 0 : 1;
      at += length;
    }
    if (after < before && !late_.empty()) change_ += after - before;
  }

  void finish() {
    flush();
    transform_.finish();
  }

 private:
  void flush() {
    if (!late_.empty()) transform_.push(late_, change_);
    late_ = {};
  }

  AlignedText::Transform& transform_;
  std::string_view late_;  // into the text or the map; both outlive the transformation
  int change_ = 0;
};

class Precompiled final : public Step {
 public:
  explicit Precompiled(const std::string& blob) : map_(blob, Charsmap::Dialect::hf_tokenizers) {
    for (std::size_t c = 0; c < plain_.size(); ++c) {
      const char byte = static_cast<char>(c);
      plain_[c] = !map_.shortest(std::string_view(&byte, 1)) && byte != '\r';
    }
  }

  void run(AlignedText& text) const override {
    const std::string_view view = text.text();
    std::size_t end = 0;
    std::size_t at = next_replaced(view, 0, &end);
    if (at == view.size()) return;
    AlignedText::Transform transform(text);
    LateSink sink(transform);
    std::size_t done = 0;
    while (at < view.size()) {
      sink.keep(view.substr(done, at - done));
      replace_cluster(view.substr(at, end - at), sink);
      done = end;
      at = next_replaced(view, end, &end);
    }
    sink.keep(view.substr(done));
    sink.finish();
  }

  // Neighbours of no class that joins anything are in clusters of their own.
  bool apart(Border& b) const override {
    using Class = unicode::rust::GraphemeClass;
    const auto separate = [](char32_t left, char32_t right) {
      if (left == kUnknownCharacter || right == kUnknownCharacter) return false;
      const auto alone = [](char32_t c) {
        const Class one = unicode::rust::grapheme_class(c);
        return one == Class::other || one == Class::control;
      };
      return alone(left) && alone(right) && (left != '\r' || right != '\n');
    };
    if (!separate(b.x, b.y)) return false;
    if (!separate(b.w, b.x)) b.x = kUnknownCharacter;
    if (!separate(b.y, b.z)) b.y = kUnknownCharacter;
    b.w = b.z = kUnknownCharacter;
    return apart_by_character(*this, b);
  }

 private:
  /// First cluster at or after `at` (a cluster boundary) that something is replaced in; *end
  /// becomes its end.
  std::size_t next_replaced(std::string_view view, std::size_t at, std::size_t* end) const {
    while (at < view.size()) {
      // A plain ASCII character before another ASCII character is a cluster of its own.
      while (at + 1 < view.size() && is_plain(view[at]) &&
             static_cast<unsigned char>(view[at + 1]) < 0x80)
        ++at;
      *end = grapheme_end(view, at);
      if (replaces(view.substr(at, *end - at))) return at;
      at = *end;
    }
    return at;
  }

  bool is_plain(char c) const {
    return static_cast<unsigned char>(c) < 0x80 && plain_[static_cast<unsigned char>(c)];
  }

  bool replaces(std::string_view cluster) const {
    if (cluster.size() < kWholeBelow && map_.shortest(cluster)) return true;
    for (std::size_t i = 0; i < cluster.size();) {
      const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(cluster[i]));
      if (map_.shortest(cluster.substr(i, length))) return true;
      i += length;
    }
    return false;
  }

  void replace_cluster(std::string_view cluster, LateSink& sink) const {
    if (cluster.size() < kWholeBelow) {
      if (const auto whole = map_.shortest(cluster)) {
        sink.replace(cluster, *whole);
        return;
      }
    }
    for (std::size_t i = 0; i < cluster.size();) {
      const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(cluster[i]));
      const std::string_view character = cluster.substr(i, length);
      if (const auto text = map_.shortest(character)) {
        sink.replace(character, *text);
      } else {
        sink.keep(character);
      }
      i += length;
    }
  }

  Charsmap map_;
  std::array<bool, 128> plain_{};  // no key, and joins nothing in ASCII
};

}  // namespace

StepPointer make_precompiled(const std::string& charsmap) {
  return std::make_unique<Precompiled>(charsmap);
}

}  // namespace toktier::normalize
