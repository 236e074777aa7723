#include "oracle/naive_steps.hpp"

#include "oracle/split_oracle.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

namespace toktier::oracle {

namespace {

using model::SplitBehavior;
namespace rust = unicode::rust;

struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool delimiter = false;
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::unsupported, "naive: " + what);
}

char32_t code_point(std::string_view character) {
  return unicode::decode(character.data()).code_point;
}

// Each character of its own that `is_delimiter` takes; what lies between in one part.
std::vector<Part> parts_by(const std::string& text,
                           const std::function<bool(char32_t)>& is_delimiter) {
  std::vector<Part> parts;
  std::size_t at = 0;
  for (const std::string& character : characters(text)) {
    const std::size_t end = at + character.size();
    const bool delimiter = is_delimiter(code_point(character));
    if (delimiter || parts.empty() || parts.back().delimiter)
      parts.push_back({at, end, delimiter});
    else
      parts.back().end = end;
    at = end;
  }
  return parts;
}

std::vector<Part> parts_by_literal(const std::string& text, const std::string& literal) {
  std::vector<Part> parts;
  std::size_t at = 0;
  for (std::size_t hit = text.find(literal); hit != std::string::npos;
       hit = text.find(literal, at)) {
    if (at < hit) parts.push_back({at, hit, false});
    at = hit + literal.size();
    parts.push_back({hit, at, true});
  }
  if (at < text.size()) parts.push_back({at, text.size(), false});
  return parts;
}

// Delimiters stay, go, or are glued to a neighbour.
void cut(const NaiveText& text, const std::vector<Part>& parts, SplitBehavior behavior,
         std::vector<NaiveText>& out) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (behavior == SplitBehavior::removed) {
      if (!parts[i].delimiter) out.push_back(slice(text, parts[i].begin, parts[i].end));
      continue;
    }
    const bool last = i + 1 == parts.size();
    const bool here = parts[i].delimiter;
    const bool next = !last && parts[i + 1].delimiter;
    bool glued = false;  // to the next part
    if (behavior == SplitBehavior::contiguous) glued = !last && here == next;
    if (behavior == SplitBehavior::merged_with_previous) glued = !last && !here && next;
    if (behavior == SplitBehavior::merged_with_next) glued = !last && here && !next;
    if (glued) continue;
    out.push_back(slice(text, begin, parts[i].end));
    begin = parts[i].end;
  }
}

class RegexStep final : public NaiveStep {
 public:
  RegexStep(const model::PreTokenizer& step, model::Reference reference)
      : oracle_({step}, reference) {}
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    const auto pieces = oracle_.split(text.text);
    if (!pieces) throw NotCovered("the regex oracle gave up");
    for (const Span& piece : *pieces) out.push_back(slice(text, piece.begin, piece.end));
  }

 private:
  SplitOracle oracle_;
};

class LiteralStep final : public NaiveStep {
 public:
  explicit LiteralStep(const model::PreSplit& step) : step_(step) {
    if (step.pattern.text.empty()) refuse("a Split by an empty string");
  }
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    std::vector<Part> parts = parts_by_literal(text.text, step_.pattern.text);
    for (Part& part : parts) part.delimiter = part.delimiter != step_.invert;
    cut(text, parts, step_.behavior, out);
  }

 private:
  model::PreSplit step_;
};

class CharacterStep final : public NaiveStep {
 public:
  CharacterStep(std::function<bool(char32_t)> is_delimiter, SplitBehavior behavior)
      : is_delimiter_(std::move(is_delimiter)), behavior_(behavior) {}
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    cut(text, parts_by(text.text, is_delimiter_), behavior_, out);
  }

 private:
  std::function<bool(char32_t)> is_delimiter_;
  SplitBehavior behavior_;
};

class ByteLevelStep final : public NaiveStep {
 public:
  ByteLevelStep(const model::PreByteLevel& step, model::Reference reference) : step_(step) {
    if (step.use_regex) regex_.emplace(model::PreByteLevel{false, true}, reference);
  }
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    NaiveText whole = text;
    if (step_.add_prefix_space && !whole.text.starts_with(' ')) prepend(whole, " ");
    std::vector<NaiveText> pieces;
    if (regex_)
      regex_->run(whole, pieces);
    else
      pieces.push_back(whole);
    for (NaiveText& piece : pieces) {
      std::vector<NaiveChange> mapped;
      for (const std::string& character : characters(piece.text)) {
        for (std::size_t i = 0; i < character.size(); ++i) {
          const auto byte = static_cast<unsigned char>(character[i]);
          mapped.push_back({alphabet_character(byte), i == 0 ? 0 : 1});
        }
      }
      rewrite_all(piece, mapped);
      out.push_back(std::move(piece));
    }
  }

 private:
  model::PreByteLevel step_;
  std::optional<RegexStep> regex_;
};

class MetaspaceStep final : public NaiveStep {
 public:
  explicit MetaspaceStep(const model::PreMetaspace& step) : step_(step) {}
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    NaiveText changed = text;
    changed.text.clear();
    changed.sources.clear();
    for (std::size_t at = 0; at < text.text.size(); ++at) {
      const bool blank = text.text[at] == ' ';
      const std::string bytes = blank ? step_.replacement : text.text.substr(at, 1);
      changed.text += bytes;
      changed.sources.insert(changed.sources.end(), bytes.size(), text.sources[at]);
    }
    const bool wanted = step_.prepend_scheme == model::PrependScheme::always ||
                        (step_.prepend_scheme == model::PrependScheme::first && text.shift == 0);
    if (wanted && !changed.text.starts_with(step_.replacement)) prepend(changed, step_.replacement);
    if (!step_.split) {
      out.push_back(std::move(changed));
      return;
    }
    const char32_t mark = code_point(step_.replacement);
    cut(changed, parts_by(changed.text, [mark](char32_t c) { return c == mark; }),
        SplitBehavior::merged_with_next, out);
  }

 private:
  model::PreMetaspace step_;
};

// Runs of word characters and runs of signs; white space goes.
class WhitespaceStep final : public NaiveStep {
 public:
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    enum { space, word, sign };
    std::size_t at = 0, begin = 0;
    int present = space;
    const auto close = [&] {
      if (present != space) out.push_back(slice(text, begin, at));
    };
    for (const std::string& character : characters(text.text)) {
      const char32_t c = code_point(character);
      const int kind = rust::regex_word().contains(c)    ? word
                       : rust::regex_space().contains(c) ? space
                                                         : sign;
      if (kind != present) {
        close();
        begin = at;
        present = kind;
      }
      at += character.size();
    }
    close();
  }
};

class BertStep final : public NaiveStep {
 public:
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    std::vector<NaiveText> words;
    const auto blank = [](char32_t c) { return rust::bert_white_space().contains(c); };
    const auto sign = [](char32_t c) { return rust::bert_punctuation().contains(c); };
    cut(text, parts_by(text.text, blank), SplitBehavior::removed, words);
    for (const NaiveText& w : words) cut(w, parts_by(w.text, sign), SplitBehavior::isolated, out);
  }
};

// Cuts before the first character of each new script; characters of no script of their own (number
// 0) neither cut nor count, and those before the first cut are lost, as in the reference.
class UnicodeScriptsStep final : public NaiveStep {
 public:
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    std::vector<std::size_t> cuts;
    int last = -1;
    std::size_t at = 0;
    for (const std::string& character : characters(text.text)) {
      const int script = rust::script(code_point(character));
      if (script != 0 && script != last) cuts.push_back(at);
      if (script != 0) last = script;
      at += character.size();
    }
    cuts.push_back(at);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      out.push_back(slice(text, cuts[i], cuts[i + 1]));
  }
};

class FixedLengthStep final : public NaiveStep {
 public:
  explicit FixedLengthStep(std::size_t length) : length_(length) {
    if (length == 0) refuse("a FixedLength of 0, on which the reference dies");
  }
  void run(const NaiveText& text, std::vector<NaiveText>& out) const override {
    std::size_t at = 0, begin = 0, count = 0;
    for (const std::string& character : characters(text.text)) {
      if (count == length_) {
        out.push_back(slice(text, begin, at));
        begin = at;
        count = 0;
      }
      at += character.size();
      ++count;
    }
    out.push_back(slice(text, begin, at));
  }

 private:
  std::size_t length_;
};

// A rank file's pattern: what it matches is a piece, what it does not match is lost.
model::PreSplit tiktoken_split(const model::PreSplit& step) {
  model::PreSplit out = step;
  out.behavior = SplitBehavior::removed;
  out.invert = true;
  return out;
}

struct StepMaker {
  model::Reference reference;
  using Pointer = std::unique_ptr<NaiveStep>;

  Pointer operator()(const model::PreSplit& s) const {
    if (!s.pattern.is_regex) return std::make_unique<LiteralStep>(s);
    const bool ranks = reference == model::Reference::tiktoken;
    return std::make_unique<RegexStep>(ranks ? tiktoken_split(s) : s, reference);
  }
  Pointer operator()(const model::PreByteLevel& s) const {
    return std::make_unique<ByteLevelStep>(s, reference);
  }
  Pointer operator()(const model::PreDigits& s) const {
    return by_set(rust::numeric(),
                  s.individual_digits ? SplitBehavior::isolated : SplitBehavior::contiguous);
  }
  Pointer operator()(const model::PrePunctuation& s) const {
    return by_set(rust::punctuation(), s.behavior);
  }
  Pointer operator()(const model::PreMetaspace& s) const {
    return std::make_unique<MetaspaceStep>(s);
  }
  Pointer operator()(const model::PreWhitespace&) const {
    return std::make_unique<WhitespaceStep>();
  }
  Pointer operator()(const model::PreWhitespaceSplit&) const {
    return by_set(rust::white_space(), SplitBehavior::removed);
  }
  Pointer operator()(const model::PreBert&) const { return std::make_unique<BertStep>(); }
  Pointer operator()(const model::PreCharDelimiterSplit& s) const {
    return std::make_unique<CharacterStep>([d = s.delimiter](char32_t c) { return c == d; },
                                           SplitBehavior::removed);
  }
  Pointer operator()(const model::PreUnicodeScripts&) const {
    return std::make_unique<UnicodeScriptsStep>();
  }
  Pointer operator()(const model::PreFixedLength& s) const {
    return std::make_unique<FixedLengthStep>(s.length);
  }

 private:
  static Pointer by_set(const unicode::CodePointSet& set, SplitBehavior behavior) {
    return std::make_unique<CharacterStep>([&set](char32_t c) { return set.contains(c); },
                                           behavior);
  }
};

}  // namespace

std::string alphabet_character(unsigned char byte) {
  // Printable bytes stand for themselves; the others follow from U+0100 on, in order.
  const auto printable = [](unsigned b) {
    return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
  };
  char32_t c = byte;
  if (!printable(byte)) {
    c = 0x100;
    for (unsigned b = 0; b < byte; ++b) c += printable(b) ? 0 : 1;
  }
  std::string out;
  unicode::append_utf8(out, c);
  return out;
}

std::unique_ptr<NaiveStep> make_naive_step(const model::PreTokenizer& step,
                                           model::Reference reference) {
  return std::visit(StepMaker{reference}, step);
}

}  // namespace toktier::oracle
