#include "unicode/aligned_text.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <cstring>

namespace toktier::unicode {
namespace {

/// Bytes of the character at `at` of well-formed `text`.
std::uint32_t length_at(std::string_view text, std::uint32_t at) {
  return sequence_length(static_cast<unsigned char>(text[at]));
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::uint32_t size32(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

}  // namespace

void AlignedText::reset(std::string_view original, std::uint32_t base, bool track) {
  original_ = original;
  base_ = base;
  track_ = track;
  changed_ = false;
  zero_prefix_ = 0;
}

void AlignedText::assign_slice(const AlignedText& whole, Span part) {
  const std::uint32_t length = part.end - part.begin;
  if (!whole.changed_) {
    reset(whole.original_.substr(part.begin, length), whole.base_ + part.begin, whole.track_);
    return;
  }
  track_ = whole.track_;
  changed_ = true;
  text_.assign(whole.text_, part.begin, length);
  zero_prefix_ =
      whole.zero_prefix_ > part.begin ? std::min(whole.zero_prefix_ - part.begin, length) : 0;
  base_ = whole.base_ + part.begin;
  if (!track_) return;
  sources_.assign(whole.sources_.begin() + part.begin, whole.sources_.begin() + part.end);
  if (length > 0) base_ = sources_.front().begin;
}

Span AlignedText::source(std::uint32_t at) const {
  if (changed_) return sources_[at];
  while (at > 0 && is_continuation(original_[at])) --at;
  return {base_ + at, base_ + at + length_at(original_, at)};
}

Span AlignedText::original(Span part) const {
  if (part.begin >= part.end) return {base_ + part.begin, base_ + part.end};
  if (!changed_) return {source(part.begin).begin, source(part.end - 1).end};
  return {sources_[part.begin].begin, sources_[part.end - 1].end};
}

void AlignedText::fill_identity(std::uint32_t begin, std::uint32_t end, Span* out) const {
  for (std::uint32_t i = begin; i < end;) {
    const std::uint32_t length = length_at(original_, i);
    const Span span{base_ + i, base_ + i + length};
    for (std::uint32_t k = 0; k < length; ++k) *out++ = span;
    i += length;
  }
}

void AlignedText::replace_byte(char byte, std::string_view content) {
  const std::string_view present = text();
  const auto matches = static_cast<std::size_t>(std::count(present.begin(), present.end(), byte));
  if (matches == 0) return;
  const std::size_t size = present.size() + matches * content.size() - matches;
  std::uint64_t word = 0;
  // Whole words are written, of which the next one overwrites what is too much: no branch in a loop
  // where nothing predicts the next match.
  spare_text_.resize(size + sizeof word);
  char* to = spare_text_.data();
  if (content.size() <= sizeof word) {
    std::memcpy(&word, content.data(), content.size());
    for (const char c : present) {
      const std::uint64_t one = static_cast<unsigned char>(c);
      const std::uint64_t put = c == byte ? word : one;
      std::memcpy(to, &put, sizeof put);
      to += c == byte ? content.size() : 1;
    }
  } else {
    for (const char c : present) {
      if (c != byte) {
        *to++ = c;
      } else {
        to = std::copy(content.begin(), content.end(), to);
      }
    }
  }
  spare_text_.resize(size);
  // A replaced byte hands its own source on, so leading bytes that stand for nothing stay the
  // leading ones.
  const std::string_view zero = present.substr(0, zero_prefix_);
  const auto in_zero = static_cast<std::size_t>(std::count(zero.begin(), zero.end(), byte));
  zero_prefix_ = static_cast<std::uint32_t>(zero.size() + in_zero * content.size() - in_zero);
  if (track_) {
    if (!changed_) {
      sources_.resize(original_.size());
      fill_identity(0, size32(original_), sources_.data());
    }
    spare_sources_.resize(size);
    Span* out = spare_sources_.data();
    for (std::size_t i = 0; i < present.size(); ++i) {
      const std::size_t copies = present[i] == byte ? content.size() : 1;
      for (std::size_t k = 0; k < copies; ++k) *out++ = sources_[i];
    }
    sources_.swap(spare_sources_);
  }
  text_.swap(spare_text_);
  changed_ = true;
}

void AlignedText::prepend(std::string_view content) {
  const std::string_view present = text();
  if (present.empty()) return;
  Rewrite rewrite(*this);
  if (content.empty()) {
    const std::uint32_t length = length_at(present, 0);
    const std::string first(present.substr(0, length));
    rewrite.drop(length);
    rewrite.put(first, {base_, base_});
  } else {
    const bool zero = zero_prefix_ > 0;
    rewrite.put(content, zero || !track_ ? Span{base_, zero ? base_ : base_ + 1} : source(0));
  }
  rewrite.finish();
}

void AlignedText::append(std::string_view content) {
  Rewrite rewrite(*this);
  rewrite.keep(size32(text()));
  rewrite.insert(content);
  rewrite.finish();
}

// ---- Rewrite
// --------------------------------------------------------------------------------------------------------

AlignedText::Rewrite::Rewrite(AlignedText& target) : target_(target) {
  target_.spare_text_.clear();
  target_.spare_sources_.clear();
}

void AlignedText::Rewrite::start_change() {
  if (changed_) return;
  changed_ = true;
  copy_kept(0, at_);
}

void AlignedText::Rewrite::copy_kept(std::uint32_t begin, std::uint32_t end) {
  AlignedText& t = target_;
  if (t.spare_text_.size() == zero_out_ && begin < t.zero_prefix_) {
    zero_out_ += std::min(end, t.zero_prefix_) - begin;
  }
  const std::string_view part = t.text().substr(begin, end - begin);
  t.spare_text_.append(part);
  if (!t.track_) return;
  if (t.changed_) {
    t.spare_sources_.insert(t.spare_sources_.end(), t.sources_.begin() + begin,
                            t.sources_.begin() + end);
    return;
  }
  // Identity so far: every byte stands for its character. `begin` and `end` are character
  // boundaries.
  const std::size_t old = t.spare_sources_.size();
  t.spare_sources_.resize(old + (end - begin));
  t.fill_identity(begin, end, t.spare_sources_.data() + old);
}

void AlignedText::Rewrite::emit(std::string_view bytes, Span source) {
  AlignedText& t = target_;
  if (source.begin == source.end && t.spare_text_.size() == zero_out_) zero_out_ += size32(bytes);
  t.spare_text_.append(bytes);
  if (t.track_) t.spare_sources_.insert(t.spare_sources_.end(), bytes.size(), source);
}

void AlignedText::Rewrite::keep(std::uint32_t bytes) {
  if (changed_) copy_kept(at_, at_ + bytes);
  at_ += bytes;
}

void AlignedText::Rewrite::keep_as(std::string_view bytes) {
  if (bytes.empty()) return;
  start_change();
  copy_kept(at_, at_ + size32(bytes));
  std::string& out = target_.spare_text_;
  out.replace(out.size() - bytes.size(), bytes.size(), bytes);
  at_ += size32(bytes);
}

void AlignedText::Rewrite::drop(std::uint32_t bytes) {
  if (bytes == 0) return;
  start_change();
  at_ += bytes;
}

void AlignedText::Rewrite::put(std::string_view bytes, Span source) {
  if (bytes.empty()) return;
  start_change();
  emit(bytes, source);
}

void AlignedText::Rewrite::insert(std::string_view bytes) {
  if (bytes.empty()) return;
  start_change();
  const std::uint32_t base = target_.base_;
  Span source{base, base};
  if (target_.track_) {
    if (at_ > 0) source = target_.source(at_ - 1);
  } else if (at_ > target_.zero_prefix_) {
    source.end = base + 1;  // without tracking only the emptiness of the source matters
  }
  emit(bytes, source);
}

void AlignedText::Rewrite::finish() {
  AlignedText& t = target_;
  if (!changed_) return;
  copy_kept(at_, size32(t.text()));
  t.text_.swap(t.spare_text_);
  t.sources_.swap(t.spare_sources_);
  t.changed_ = true;
  t.zero_prefix_ = zero_out_;
}

// ---- Transform
// ------------------------------------------------------------------------------------------------------

AlignedText::Transform::Transform(AlignedText& target) : target_(target), rewrite_(target) {
  if (target_.original_.empty()) {
    odd_ = !target_.text().empty();
    consumes_ = false;
  } else if (target_.zero_prefix_ > 0) {
    odd_ = true;
    rewrite_.keep(target_.zero_prefix_);
  }
}

void AlignedText::Transform::keep(std::string_view run) {
  if (!odd_ && run.data() == target_.text().data() + rewrite_.position()) {
    rewrite_.keep(size32(run));
    return;
  }
  for (std::uint32_t i = 0; i < run.size();) {
    const std::uint32_t length = length_at(run, i);
    push(run.substr(i, length), 0);
    i += length;
  }
}

void AlignedText::Transform::replace_ascii(std::string_view run, std::string_view replacement) {
  if (!odd_ && run.data() == target_.text().data() + rewrite_.position()) {
    rewrite_.keep_as(replacement);
    return;
  }
  for (std::size_t i = 0; i < replacement.size(); ++i) push(replacement.substr(i, 1), 0);
}

void AlignedText::Transform::push(std::string_view character, int change) {
  if (change > 0) {
    rewrite_.insert(character);
    return;
  }
  const std::string_view present = target_.text();
  const std::uint32_t at = rewrite_.position();
  if (at >= present.size()) {
    throw Error(ErrorCode::unsupported,
                "the reference engine fails on this text: its alignment map ends early");
  }
  if (!consumes_) {
    rewrite_.put(character, {target_.base_, target_.base_});
    return;
  }
  const std::uint32_t length = length_at(present, at);
  if (change == 0 && present.substr(at, length) == character) {
    rewrite_.keep(length);
    return;
  }
  // Without tracking only the emptiness of the source matters, and it is not empty here: the range
  // begins after the bytes that stand for nothing.
  const Span source = target_.track_ ? target_.source(at) : Span{target_.base_, target_.base_ + 1};
  // Copied first: `character` may be a view into the present text, which drop() leaves alone.
  rewrite_.put(character, source);
  rewrite_.drop(length);
  if (change < 0) skip(static_cast<std::uint32_t>(-change));
}

void AlignedText::Transform::skip(std::uint32_t characters) {
  if (!consumes_) return;
  const std::string_view present = target_.text();
  std::uint32_t bytes = 0;
  while (characters > 0 && rewrite_.position() + bytes < present.size()) {
    bytes += length_at(present, rewrite_.position() + bytes);
    --characters;
  }
  rewrite_.drop(bytes);
}

void AlignedText::Transform::finish() {
  if (consumes_) rewrite_.drop(size32(target_.text()) - rewrite_.position());
  rewrite_.finish();
}

}  // namespace toktier::unicode
