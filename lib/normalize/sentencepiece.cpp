// The whole normalizer of a SentencePiece model, in that engine's order: longest key of the
// character map first, white space trimmed and squeezed, blanks written as U+2581, a blank put
// before or behind.
//
// The engine maps each byte of its result to the number of original bytes consumed before it; a
// range of the result stands for what lies between the numbers of its two ends. Kept here per
// character.

#include "normalize/charsmap.hpp"
#include "normalize/step.hpp"
#include "unicode/code_point_set.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <array>

namespace toktier::normalize {
namespace {

using unicode::AlignedText;

constexpr std::size_t kMaxKeys = 32;  // the engine looks at no more keys of the map at one place
constexpr std::size_t kMaxLiterals = 64;  // and of user-defined pieces

struct Prefix {
  std::string_view text;
  std::uint32_t consumed;  // bytes of the input
};

/// A result under construction with the engine's map.
struct Output {
  explicit Output(bool want_map) : mapped(want_map) {}
  void put(std::string_view bytes, std::uint32_t consumed) {
    text.append(bytes);
    if (mapped) consumed_before.insert(consumed_before.end(), bytes.size(), consumed);
  }
  bool mapped;
  std::string text;
  std::vector<std::uint32_t> consumed_before;  // one per byte of text
};

class SentencePiece final : public Step {
 public:
  SentencePiece(const model::NormSentencePiece& spec, const std::vector<std::string>& literals)
      : spec_(spec), space_(spec.escape_whitespaces ? "\xE2\x96\x81" : " ") {
    if (!spec.charsmap.empty()) map_.emplace(spec.charsmap, Charsmap::Dialect::sentencepiece);
    for (const std::string& literal : literals) {
      if (!literal.empty()) literals_[static_cast<unsigned char>(literal[0])].push_back(literal);
    }
    for (auto& bucket : literals_) {
      std::sort(bucket.begin(), bucket.end(),
                [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
    }
    for (std::size_t b = 0; b < plain_.size(); ++b) {
      const auto byte = static_cast<unsigned char>(b);
      plain_[b] = byte != ' ' && literals_[b].empty() && !(map_ && map_->begins_key(byte));
    }
    collect_tails();
  }

  // A border is one when no key or literal may lie across it - none holds x directly before y - and
  // the blanks before it, which decide what becomes of those behind it, are none. In the same way x
  // is mapped by itself when no key holds w before it, and y when none holds it before z.
  bool apart(Border& b) const override {
    const auto part = [this](char32_t left, char32_t right) {
      if (right == kUnknownCharacter) return false;
      return !tails_.contains(right) || (left != kUnknownCharacter && !in_a_key(left, right));
    };
    if (!tails_known_ || !part(b.x, b.y) || !part(b.w, b.x)) return false;
    Border after = b;
    if (!part(b.y, b.z)) after.y = kUnknownCharacter;
    after.w = after.z = kUnknownCharacter;
    // The rest of the characters' rule is that of characters by themselves, away from all ends.
    const auto alone = [this](char32_t c, bool last) {
      if (c == kUnknownCharacter) return c;
      std::string bytes;
      unicode::append_utf8(bytes, c);
      Output out(false);
      normalize(bytes, {true, true}, out);
      if (out.text.empty()) return kUnknownCharacter;
      std::size_t at = last ? out.text.size() - 1 : 0;
      while ((static_cast<unsigned char>(out.text[at]) & 0xC0) == 0x80) --at;
      return unicode::decode(out.text.data() + at).code_point;
    };
    const auto blank = [this](char32_t c) {
      return c == ' ' || c == unicode::decode(space_.data()).code_point;
    };
    after.x = alone(b.x, true);
    after.y = alone(after.y, false);
    if (after.x == kUnknownCharacter) return false;
    if (spec_.remove_extra_whitespaces) {
      if (blank(after.x)) return false;
      after.may_vanish |= after.y == kUnknownCharacter || blank(after.y);
    }
    b = after;
    return true;
  }

  void run(AlignedText& text) const override { run_open(text, {}); }

  void run_open(AlignedText& text, Open open) const override {
    const std::string_view input = text.text();
    if (input.empty()) return;
    Output out(text.tracked());
    const std::uint32_t consumed = normalize(input, open, out);
    if (out.text == input && !text.tracked()) return;
    replace(text, out, consumed);
  }

 private:
  Prefix prefix(std::string_view input) const {
    const auto& bucket = literals_[static_cast<unsigned char>(input[0])];
    std::size_t longest = 0;
    std::size_t seen = 0;
    for (const std::string& literal : bucket) {
      if (!input.starts_with(literal)) continue;
      longest = literal.size();
      if (++seen == kMaxLiterals) break;
    }
    if (longest > 0) return {input.substr(0, longest), static_cast<std::uint32_t>(longest)};
    if (map_) {
      if (const auto found = map_->longest(input, kMaxKeys)) return {found->text, found->key_bytes};
    }
    const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(input[0]));
    return {input.substr(0, length), length};
  }

  /// Returns how much of the input is consumed at the end of the result.
  std::uint32_t normalize(std::string_view input, Open open, Output& out) const {
    const bool squeeze = spec_.remove_extra_whitespaces;
    std::uint32_t consumed = 0;
    while (squeeze && !open.left && !input.empty()) {
      const Prefix p = prefix(input);
      if (p.text != " ") break;
      input.remove_prefix(p.consumed);
      consumed += p.consumed;
    }
    if (input.empty()) return consumed;
    const bool before = spec_.add_dummy_prefix && !spec_.treat_whitespace_as_suffix;
    if (before && !open.left) out.put(space_, consumed);
    bool after_blank = squeeze && !open.left;
    while (!input.empty()) {
      if (const std::uint32_t run = put_plain(input, consumed, out); run > 0) {
        after_blank = false;
        consumed += run;
        input.remove_prefix(run);
        continue;
      }
      const Prefix p = prefix(input);
      std::string_view part = p.text;
      while (after_blank && part.starts_with(' ')) part.remove_prefix(1);
      put_escaped(part, consumed, out);
      if (!part.empty()) after_blank = part.ends_with(' ');
      if (!squeeze) after_blank = false;
      consumed += p.consumed;
      input.remove_prefix(p.consumed);
    }
    while (squeeze && !open.right && out.text.ends_with(space_)) {
      const std::size_t length = out.text.size() - space_.size();
      out.text.resize(length);
      if (out.mapped) {
        consumed = out.consumed_before[length];
        out.consumed_before.resize(length);
      }
    }
    if (spec_.add_dummy_prefix && spec_.treat_whitespace_as_suffix && !open.right)
      out.put(space_, consumed);
    return consumed;
  }

  /// Copies the characters at the beginning that no key or literal begins with; returns their
  /// bytes.
  std::uint32_t put_plain(std::string_view input, std::uint32_t consumed, Output& out) const {
    std::size_t end = 0;
    while (end < input.size() && plain_[static_cast<unsigned char>(input[end])]) {
      end += unicode::sequence_length(static_cast<unsigned char>(input[end]));
    }
    out.text.append(input.substr(0, end));
    if (out.mapped) {
      for (std::size_t at = 0; at < end;) {
        const std::uint32_t length =
            unicode::sequence_length(static_cast<unsigned char>(input[at]));
        out.consumed_before.insert(out.consumed_before.end(), length,
                                   consumed + static_cast<std::uint32_t>(at));
        at += length;
      }
    }
    return static_cast<std::uint32_t>(end);
  }

  void put_escaped(std::string_view part, std::uint32_t consumed, Output& out) const {
    while (!part.empty()) {
      const std::size_t blank = part.find(' ');
      out.put(part.substr(0, blank), consumed);
      if (blank == std::string_view::npos) return;
      out.put(space_, consumed);
      part.remove_prefix(blank + 1);
    }
  }

  static void replace(AlignedText& text, const Output& out, std::uint32_t consumed) {
    const auto input_size = static_cast<std::uint32_t>(text.text().size());
    AlignedText::Rewrite rewrite(text);
    if (!out.mapped) {
      rewrite.put(out.text, {text.base(), text.base() + input_size});
    } else {
      for (std::size_t at = 0; at < out.text.size();) {
        const std::uint32_t length =
            unicode::sequence_length(static_cast<unsigned char>(out.text[at]));
        const std::size_t next = at + length;
        const std::uint32_t end = next < out.text.size() ? out.consumed_before[next] : consumed;
        rewrite.put(std::string_view(out.text).substr(at, length),
                    {text.base() + out.consumed_before[at], text.base() + end});
        at = next;
      }
    }
    rewrite.drop(input_size);
    rewrite.finish();
  }

  static std::uint64_t pair(char32_t left, char32_t right) {
    return std::uint64_t{left} << 32 | right;
  }
  bool in_a_key(char32_t left, char32_t right) const {
    return std::binary_search(pairs_.begin(), pairs_.end(), pair(left, right));
  }

  // The characters that stand in a key or literal behind its first, and those before them.
  void collect_tails() {
    std::vector<unicode::CodePointRange> found;
    const auto add = [&](std::string_view key) {
      if (unicode::find_invalid_utf8(key)) {
        tails_known_ = false;
        return;
      }
      char32_t before = unicode::decode(key.data()).code_point;
      for (std::size_t at = unicode::sequence_length(static_cast<unsigned char>(key[0]));
           at < key.size();) {
        const unicode::Decoded d = unicode::decode(key.data() + at);
        found.push_back({d.code_point, d.code_point});
        pairs_.push_back(pair(before, d.code_point));
        before = d.code_point;
        at += d.length;
      }
    };
    if (map_ && !map_->each_key(add)) tails_known_ = false;
    for (const auto& bucket : literals_)
      for (const std::string& literal : bucket) add(literal);
    tails_ = unicode::CodePointSet(std::move(found));
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  }

  model::NormSentencePiece spec_;
  std::string space_;
  std::optional<Charsmap> map_;
  std::array<bool, 256> plain_{};  // by first byte: a character stands for itself
  std::array<std::vector<std::string>, 256> literals_;  // by first byte, shortest first
  unicode::CodePointSet tails_;
  std::vector<std::uint64_t> pairs_;  // neighbours in a key or literal, ascending
  bool tails_known_ = true;
};

}  // namespace

StepPointer make_sentencepiece(const model::NormSentencePiece& spec,
                               const std::vector<std::string>& kept_literals) {
  return std::make_unique<SentencePiece>(spec, kept_literals);
}

}  // namespace toktier::normalize
