#include "oracle/split_oracle.hpp"

#include "oracle/split_pattern_translator.hpp"
#include "oracle/split_traits.hpp"
#include "toktier/error.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

#include <boost/regex.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace toktier::oracle {

namespace {

using Regex = boost::basic_regex<char32_t, SplitTraits>;
using Text = std::u32string;

struct Part {
  std::size_t begin;
  std::size_t end;
  bool delimiter;
};

constexpr std::string_view kByteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::unsupported, "split oracle: " + what);
}

const unicode::RegexProfile& profile_of(model::Reference reference) {
  return reference == model::Reference::tiktoken ? unicode::tiktoken_profile()
                                                 : unicode::onig_profile();
}

Regex compile(std::string_view pattern, model::Reference reference) {
  const Text text = translate_split_pattern(pattern, reference);
  try {
    Regex regex;
    regex.imbue(&profile_of(reference));
    regex.assign(text, boost::regex_constants::perl);
    return regex;
  } catch (const std::exception& error) {
    refuse(std::string("pattern not compiled: ") + error.what());
  }
}

void fill_gaps(std::vector<Part>& parts, std::size_t size) {
  std::vector<Part> all;
  std::size_t at = 0;
  for (const Part& part : parts) {
    if (at < part.begin) all.push_back({at, part.begin, false});
    all.push_back(part);
    at = part.end;
  }
  if (at < size) all.push_back({at, size, false});
  parts = std::move(all);
}

}  // namespace

// One split: which stretches are delimiters, then the behaviour.
struct SplitOracle::Step {
  model::SplitBehavior behavior = model::SplitBehavior::isolated;
  bool invert = false;

  virtual ~Step() = default;
  /// Delimiters of text[begin, end), in order.
  virtual void find(const Text& text, std::size_t begin, std::size_t end,
                    std::vector<Part>& parts) const = 0;
  /// Of a search: the first match, an empty range at the end of the text when there is none, and
  /// the number of characters read. Nothing for other steps.
  struct First {
    Part match;
    std::size_t read;
  };
  virtual std::optional<First> first(const Text&) const { return std::nullopt; }
};

namespace {

// A place in a text that notes how far the text was read. Everything the engine learns of the text
// but its length goes through the two reading operators.
class Watched {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = char32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = const char32_t*;
  using reference = const char32_t&;

  Watched() = default;
  Watched(const char32_t* text, std::size_t at, std::size_t* read)
      : text_(text), at_(static_cast<difference_type>(at)), read_(read) {}
  reference operator*() const { return (*this)[0]; }
  pointer operator->() const { return &(*this)[0]; }
  reference operator[](difference_type n) const {
    *read_ = std::max(*read_, static_cast<std::size_t>(at_ + n) + 1);
    return text_[at_ + n];
  }
  Watched& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  Watched& operator-=(difference_type n) { return *this += -n; }
  Watched& operator++() { return *this += 1; }
  Watched& operator--() { return *this -= 1; }
  Watched operator++(int) {
    const Watched old = *this;
    ++*this;
    return old;
  }
  Watched operator--(int) {
    const Watched old = *this;
    --*this;
    return old;
  }
  friend Watched operator+(Watched a, difference_type n) { return a += n; }
  friend Watched operator+(difference_type n, Watched a) { return a += n; }
  friend Watched operator-(Watched a, difference_type n) { return a -= n; }
  friend difference_type operator-(const Watched& a, const Watched& b) { return a.at_ - b.at_; }
  friend bool operator==(const Watched& a, const Watched& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const Watched& a, const Watched& b) { return a.at_ <=> b.at_; }

 private:
  const char32_t* text_ = nullptr;
  difference_type at_ = 0;
  std::size_t* read_ = nullptr;
};

template <class Base>
struct RegexStep final : Base {
  explicit RegexStep(Regex r) : regex(std::move(r)) {}
  Regex regex;
  mutable boost::match_results<Watched> reused;  // saves an allocation for each text
  std::optional<typename Base::First> first(const Text& text) const override {
    std::size_t read = 0;
    const Watched begin{text.data(), 0, &read};
    const Watched end = begin + static_cast<std::ptrdiff_t>(text.size());
    if (!boost::regex_search(begin, end, reused, regex)) {
      return typename Base::First{{text.size(), text.size(), true}, text.size()};
    }
    const auto from = static_cast<std::size_t>(reused[0].first - begin);
    const auto to = static_cast<std::size_t>(reused[0].second - begin);
    if (from == to) throw std::runtime_error("empty match");
    return typename Base::First{{from, to, true}, std::max(read, to)};
  }
  void find(const Text& text, std::size_t begin, std::size_t end,
            std::vector<Part>& parts) const override {
    const char32_t* const data = text.data() + begin;
    const std::size_t size = end - begin;
    boost::match_results<const char32_t*> match;
    for (std::size_t at = 0; at < size;) {
      if (!boost::regex_search(data + at, data + size, match, regex)) break;
      const auto from = static_cast<std::size_t>(match[0].first - data);
      const auto to = static_cast<std::size_t>(match[0].second - data);
      if (from == to) throw std::runtime_error("empty match");
      parts.push_back({from, to, true});
      at = to;
    }
  }
};

template <class Base>
struct SetStep final : Base {
  explicit SetStep(const unicode::CodePointSet& s) : set(s) {}
  const unicode::CodePointSet& set;
  void find(const Text& text, std::size_t begin, std::size_t end,
            std::vector<Part>& parts) const override {
    for (std::size_t i = begin; i < end; ++i) {
      if (set.contains(text[i])) parts.push_back({i - begin, i + 1 - begin, true});
    }
  }
};

template <class Base>
struct LiteralStep final : Base {
  explicit LiteralStep(Text l) : literal(std::move(l)) {}
  Text literal;
  void find(const Text& text, std::size_t begin, std::size_t end,
            std::vector<Part>& parts) const override {
    const Text own = text.substr(begin, end - begin);
    for (std::size_t at = own.find(literal); at != Text::npos;
         at = own.find(literal, at + literal.size())) {
      parts.push_back({at, at + literal.size(), true});
    }
  }
};

Text decode_all(std::string_view text, std::vector<std::uint32_t>* offsets) {
  Text out;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Decoded d = unicode::decode(text.data() + at);
    out.push_back(d.code_point);
    if (offsets != nullptr) offsets->push_back(static_cast<std::uint32_t>(at));
    at += d.length;
  }
  if (offsets != nullptr) offsets->push_back(static_cast<std::uint32_t>(text.size()));
  return out;
}

// The documented meaning of the behaviours: a delimiter joins the neighbour that is not itself a
// delimiter.
void keep(const std::vector<Part>& parts, model::SplitBehavior behavior, std::size_t base,
          std::vector<std::pair<std::size_t, std::size_t>>& out) {
  using model::SplitBehavior;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool after_text = i > 0 && !parts[i - 1].delimiter;
    const bool before_text = i + 1 < parts.size() && !parts[i + 1].delimiter;
    bool join = false;  // with the piece before
    switch (behavior) {
      case SplitBehavior::removed:
        if (parts[i].delimiter) continue;
        break;
      case SplitBehavior::isolated:
        break;
      case SplitBehavior::contiguous:
        join = i > 0 && parts[i].delimiter == parts[i - 1].delimiter;
        break;
      case SplitBehavior::merged_with_previous:
        join = parts[i].delimiter && after_text;
        break;
      case SplitBehavior::merged_with_next:
        if (parts[i].delimiter && before_text) {
          out.emplace_back(base + parts[i].begin, base + parts[i + 1].end);
          ++i;
          continue;
        }
        break;
    }
    if (join) {
      out.back().second = base + parts[i].end;
    } else {
      out.emplace_back(base + parts[i].begin, base + parts[i].end);
    }
  }
}

}  // namespace

SplitOracle::SplitOracle(const std::vector<model::PreTokenizer>& steps,
                         model::Reference reference) {
  bool mapped = false;
  const auto add = [&](auto step, model::SplitBehavior behavior, bool invert) {
    if (mapped) refuse("a step after ByteLevel");
    step->behavior = behavior;
    step->invert = invert;
    steps_.push_back(std::move(step));
  };
  for (const model::PreTokenizer& any : steps) {
    if (const auto* split = std::get_if<model::PreSplit>(&any)) {
      if (split->pattern.is_regex) {
        add(std::make_unique<RegexStep<Step>>(compile(split->pattern.text, reference)),
            split->behavior, split->invert);
      } else if (split->pattern.text.empty()) {
        refuse("an empty string");
      } else {
        add(std::make_unique<LiteralStep<Step>>(decode_all(split->pattern.text, nullptr)),
            split->behavior, split->invert);
      }
    } else if (const auto* bytes = std::get_if<model::PreByteLevel>(&any)) {
      if (bytes->add_prefix_space) refuse("a prefix blank");
      if (bytes->use_regex) {
        add(std::make_unique<RegexStep<Step>>(compile(kByteLevelPattern, reference)),
            model::SplitBehavior::isolated, false);
      }
      mapped = true;
    } else if (const auto* digits = std::get_if<model::PreDigits>(&any)) {
      add(std::make_unique<SetStep<Step>>(unicode::rust::numeric()),
          digits->individual_digits ? model::SplitBehavior::isolated
                                    : model::SplitBehavior::contiguous,
          false);
    } else if (const auto* signs = std::get_if<model::PrePunctuation>(&any)) {
      add(std::make_unique<SetStep<Step>>(unicode::rust::punctuation()), signs->behavior, false);
    } else {
      refuse("a step that is not a Split, Digits, Punctuation or ByteLevel");
    }
  }
}

SplitOracle::SplitOracle(SplitOracle&&) noexcept = default;
SplitOracle& SplitOracle::operator=(SplitOracle&&) noexcept = default;
SplitOracle::~SplitOracle() = default;

bool SplitOracle::has_heads() const {
  if (steps_.empty() || !steps_[0]->first(Text())) return false;
  const Step& step = *steps_[0];
  if (step.behavior == model::SplitBehavior::isolated) return !step.invert;
  return step.behavior == model::SplitBehavior::removed && step.invert;
}

bool SplitOracle::head(const Text& text, Head& out) const {
  out.pieces.clear();
  try {
    const Step::First first = *steps_[0]->first(text);
    const Part& match = first.match;
    out.end = match.end;
    out.read = first.read;
    const bool keeps_gaps = steps_[0]->behavior == model::SplitBehavior::isolated;
    if (match.begin > 0 && keeps_gaps) out.pieces.emplace_back(0, match.begin);
    if (match.begin < match.end) out.pieces.emplace_back(match.begin, match.end);
    apply(1, text, out.pieces);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

// From step `first_step` on, each inside the pieces of the step before it.
void SplitOracle::apply(std::size_t first_step, const Text& text, Pieces& pieces) const {
  for (std::size_t s = first_step; s < steps_.size(); ++s) {
    const Step& step = *steps_[s];
    Pieces next;
    for (const auto& [begin, end] : pieces) {
      std::vector<Part> parts;
      step.find(text, begin, end, parts);
      fill_gaps(parts, end - begin);
      if (step.invert) {
        for (Part& part : parts) part.delimiter = !part.delimiter;
      }
      keep(parts, step.behavior, begin, next);
    }
    pieces = std::move(next);
  }
}

std::optional<std::vector<Span>> SplitOracle::split(std::string_view text) const {
  std::vector<std::uint32_t> offsets;
  const Text characters = decode_all(text, &offsets);
  Pieces pieces;
  if (!characters.empty()) pieces.emplace_back(0, characters.size());
  try {
    apply(0, characters, pieces);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  std::vector<Span> spans;
  for (const auto& [begin, end] : pieces) spans.push_back({offsets[begin], offsets[end]});
  return spans;
}

}  // namespace toktier::oracle
