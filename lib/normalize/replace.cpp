// Replace: every match of a literal or a regex becomes the same text. The new text stands for what
// the last byte of the match stood for, which is the reference's rule.

#include "normalize/step.hpp"
#include "unicode/utf8.hpp"

namespace toktier::normalize {
namespace {

using unicode::AlignedText;

std::uint32_t u32(std::size_t n) { return static_cast<std::uint32_t>(n); }

std::u32string characters(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Decoded d = unicode::decode(text.data() + at);
    out.push_back(d.code_point);
    at += d.length;
  }
  return out;
}

class ReplaceString final : public Step {
 public:
  ReplaceString(std::string pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  void run(AlignedText& text) const override {
    if (pattern_.size() == 1) {
      text.replace_byte(pattern_[0], content_);
      return;
    }
    const std::string_view view = text.text();
    std::size_t at = view.find(pattern_);
    if (at == std::string_view::npos) return;
    AlignedText::Rewrite rewrite(text);
    while (at != std::string_view::npos) {
      rewrite.keep(u32(at) - rewrite.position());
      rewrite.drop(u32(pattern_.size()));
      rewrite.insert(content_);
      at = view.find(pattern_, at + pattern_.size());
    }
    rewrite.finish();
  }

  // One character is replaced wherever it stands. A longer pattern does not occur across the border
  // when the character behind it is nowhere in the pattern but at its begin.
  bool apart(Border& b) const override {
    const std::u32string pattern = characters(pattern_);
    if (pattern.size() == 1) return apart_by_character(*this, b);
    const auto touched = [&](char32_t c) {
      return c == kUnknownCharacter || pattern.find(c) != std::u32string::npos;
    };
    if (b.y == kUnknownCharacter || pattern.find(b.y, 1) != std::u32string::npos) return false;
    if (touched(b.x)) b.x = kUnknownCharacter;
    if (b.x == kUnknownCharacter || touched(b.w)) b.w = kUnknownCharacter;
    if (touched(b.y)) b.y = kUnknownCharacter;
    if (b.y == kUnknownCharacter || touched(b.z)) b.z = kUnknownCharacter;
    return true;
  }
  bool transforms() const override { return false; }

 private:
  std::string pattern_;
  std::string content_;
};

class ReplaceRegex final : public Step {
 public:
  ReplaceRegex(std::unique_ptr<const RegexFinder> finder, std::string content)
      : finder_(std::move(finder)), content_(std::move(content)) {}

  void run(AlignedText& text) const override {
    const std::string_view view = text.text();
    if (view.empty()) return;  // the reference does not even look
    std::vector<Span> matches;
    finder_->find_all(view, matches);
    if (matches.empty()) return;
    AlignedText::Rewrite rewrite(text);
    for (const Span match : matches) {
      rewrite.keep(match.begin - rewrite.position());
      rewrite.drop(match.end - match.begin);
      rewrite.insert(content_);
    }
    rewrite.finish();
  }

  // A character that is in no match ends every attempt that reads it, so no match crosses a border
  // beside it. One that may be in a match is what it is by itself between two that are not; else
  // the text still shows the same character where the new text has it at that end.
  bool apart(Border& b) const override {
    const auto barrier = [this](char32_t c) {
      return c != kUnknownCharacter && finder_->in_no_match(c);
    };
    const bool x = barrier(b.x), y = barrier(b.y);
    if (!x && !y) return false;
    const std::u32string content = characters(content_);
    const auto end = [&](char32_t& near, char32_t& far, bool one, bool other, char32_t shown) {
      const bool known = barrier(far);
      if (!one && known && other) {
        Border alone;
        alone.y = near;
        apart_by_character(*this, alone);
        near = alone.y;
      } else if (!one && near != shown) {
        near = kUnknownCharacter;
      }
      if (!one || !known) far = kUnknownCharacter;
    };
    end(b.x, b.w, x, y, content.empty() ? kUnknownCharacter : content.back());
    end(b.y, b.z, y, x, content.empty() ? kUnknownCharacter : content.front());
    return true;
  }
  bool transforms() const override { return false; }

 private:
  std::unique_ptr<const RegexFinder> finder_;
  std::string content_;
};

// The empty string stands before every character and at the end.
class ReplaceEmpty final : public Step {
 public:
  explicit ReplaceEmpty(std::string content) : content_(std::move(content)) {}
  bool transforms() const override { return false; }

  void run(AlignedText& text) const override {
    const std::string_view view = text.text();
    if (view.empty() || content_.empty()) return;
    AlignedText::Rewrite rewrite(text);
    for (std::uint32_t at = 0; at < view.size();) {
      const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(view[at]));
      rewrite.insert(content_);
      rewrite.keep(length);
      at += length;
    }
    rewrite.insert(content_);
    rewrite.finish();
  }

 private:
  std::string content_;
};

}  // namespace

void RegexFinder::find_all(std::string_view text, std::vector<Span>& out) const {
  Span match;
  std::int64_t last_end = -1;
  std::uint32_t from = 0;
  while (from <= text.size() && find(text, from, &match)) {
    if (match.begin == match.end && match.end == last_end) {
      if (from >= text.size()) break;
      from += unicode::sequence_length(static_cast<unsigned char>(text[from]));
      continue;
    }
    out.push_back(match);
    from = match.end;
    last_end = match.end;
  }
}

StepPointer make_replace_string(const std::string& pattern, const std::string& content) {
  if (pattern.empty()) return std::make_unique<ReplaceEmpty>(content);
  return std::make_unique<ReplaceString>(pattern, content);
}

StepPointer make_replace_regex(std::unique_ptr<const RegexFinder> finder,
                               const std::string& content) {
  return std::make_unique<ReplaceRegex>(std::move(finder), content);
}

}  // namespace toktier::normalize
