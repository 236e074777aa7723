#include "encode/seams.hpp"

#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::encode {

using normalize::Border;
using normalize::kUnknownCharacter;
using pretok::CutRule;

namespace {

constexpr std::size_t kSyncBytes = 256;  // text that the certainty of a boundary may rest on
constexpr std::size_t kClearBytes = 64;  // text without literals that is looked for before a seam
constexpr std::size_t kCharacter = 4;    // most bytes
constexpr std::size_t kTries = 48;       // places that are examined closely in one search

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t next_character(std::string_view text, std::size_t at) {
  return at + unicode::sequence_length(static_cast<unsigned char>(text[at]));
}

std::size_t previous_character(std::string_view text, std::size_t at) {
  --at;
  while (continues(text[at])) --at;
  return at;
}

/// The characters beside byte `at`; unknown past the ends of `text`.
Border border_at(std::string_view text, std::size_t at) {
  Border b;
  std::size_t left = at, right = at;
  for (char32_t* c : {&b.x, &b.w}) {
    if (left == 0) break;
    left = previous_character(text, left);
    *c = unicode::decode(text.data() + left).code_point;
  }
  for (char32_t* c : {&b.y, &b.z}) {
    if (right == text.size()) break;
    *c = unicode::decode(text.data() + right).code_point;
    right = next_character(text, right);
  }
  return b;
}

}  // namespace

struct Seams::Look {
  std::string_view text;  // all that may be looked at
  std::size_t at = 0;
  std::size_t certain_from = 0;  // rule automaton: what the boundary rests on begins here
  std::size_t clear_from = 0;    // no raw literal ends behind this
  std::size_t from = 0, to = 0;  // what `a` and `b` are made of
  Border border;                 // in the normalized text
  std::string a, b;
};

Seams::Seams(const Pipeline& pipeline)
    : pipeline_(pipeline),
      rule_(pipeline.pre_tokenizer().cut_rule()),
      identity_(pipeline.normalizer().identity()) {
  const auto refuse = [this](const char* why) {
    if (refusal_.empty()) refusal_ = why;
  };
  const auto& added = pipeline.added();
  if (added.splits_normalized()) need_ = added.normalized_reach().longest + kClearBytes;
  if (rule_ == CutRule::none) refuse("no rule tells where the pre-tokenizer cuts");
  if (rule_ == CutRule::automaton && pipeline.maps_bytes()) refuse("the model reads mapped bytes");
  if (rule_ == CutRule::whole) {
    const auto reach = pipeline.model().parts_reach();
    if (!reach) refuse("the model encodes a piece only as a whole");
    if (pipeline.maps_bytes()) refuse("the model reads mapped bytes");
    need_ = std::max(need_, reach.value_or(0));
    carries_ = pipeline.model().carries();
    if (carries_ && !pipeline.spec().pre_tokenizers.empty() &&
        std::holds_alternative<model::PreSplit>(pipeline.spec().pre_tokenizers[0]))
      refuse("the model takes something over where the pre-tokenizer may cut");
  }
  const std::size_t longest = added.splits_raw() ? added.raw_reach().longest : 0;
  const std::size_t sync = rule_ == CutRule::automaton ? kSyncBytes : 0;
  clear_ = std::max(kClearBytes, 2 * need_);
  const std::size_t literals = added.splits_raw() ? longest + clear_ : 0;
  before_ = std::max({sync, literals, 2 * need_}) + 8 * kCharacter;
  behind_ = longest + need_ + 16 * kCharacter;
}

std::uint32_t Seams::ahead(std::string_view text, std::size_t at) const {
  if (rule_ != CutRule::automaton) return 0;
  return unicode::sequence_length(static_cast<unsigned char>(text[at]));
}

// A quick look at the nearest characters; what holds() would refuse at once.
bool Seams::may_hold(std::string_view text, std::size_t at) const {
  if (rule_ == CutRule::automaton || !identity_) return true;
  const Border b = border_at(text, at);
  if (rule_ == CutRule::neighbours) return pipeline_.pre_tokenizer().cuts_between(b.x, b.y);
  return pipeline_.pre_tokenizer().passes(b.x) && pipeline_.pre_tokenizer().passes(b.y);
}

// Fills a, b, from, to and border. False when the normalizer does not let the text be cut here.
bool Seams::normalized_around(Look& look, EncodeScratch& scratch) const {
  const std::string_view text = look.text;
  look.border = border_at(text, look.at);
  look.from = look.at - std::min(look.at, need_);
  if (rule_ == CutRule::automaton) look.from = std::min(look.from, look.certain_from);
  look.to = std::min(text.size(), look.at + need_ + kCharacter);
  while (look.from > 0 && continues(text[look.from])) --look.from;
  while (look.to < text.size() && continues(text[look.to])) ++look.to;
  if (identity_) {
    look.from = std::max(look.from, look.clear_from);
    look.a = text.substr(look.from, look.at - look.from);
    look.b = text.substr(look.at, look.to - look.at);
    return true;
  }
  const normalize::Normalizer& normalizer = pipeline_.normalizer();
  if (!normalizer.apart(look.border)) return false;
  const auto apart = [&](std::size_t at) {
    Border b = border_at(text, at);
    return normalizer.apart(b);
  };
  // The ends of what is normalized must be borders too; one that has text of its segment before it.
  while (look.from > look.clear_from && !apart(look.from))
    look.from = previous_character(text, look.from);
  if (look.from <= look.clear_from) return false;
  if (look.to == text.size()) look.to = previous_character(text, look.to);
  while (look.to > look.at && !apart(look.to)) look.to = previous_character(text, look.to);
  if (look.to <= look.at) return false;
  const auto run = [&](std::size_t begin, std::size_t end, std::string& out) {
    scratch.text.reset(text.substr(begin, end - begin), 1, false);
    normalizer.run_open(scratch.text, {true, true});
    out = scratch.text.text();
  };
  run(look.from, look.at, look.a);
  run(look.at, look.to, look.b);
  return true;
}

/// `at` is a seam. rule automaton: the boundary is certain from the text from `certain_from` on.
bool Seams::holds(std::string_view whole, std::size_t at, std::size_t certain_from,
                  EncodeScratch& scratch) const {
  // Nothing outside these bounds is looked at, so the bounds promised are kept.
  std::size_t begin = at - std::min(at, before_);
  std::size_t end = std::min(whole.size(), at + behind_);
  while (continues(whole[begin])) ++begin;
  while (end < whole.size() && continues(whole[end])) --end;
  Look look;
  look.text = whole.substr(begin, end - begin);
  look.at = at - begin;
  if (certain_from < begin) return false;
  const std::size_t certain = look.certain_from = certain_from - begin;
  if (look.at == 0 || look.at >= look.text.size() || continues(look.text[look.at])) return false;

  const auto& added = pipeline_.added();
  if (added.splits_raw() && !added.parts_raw_at(look.text, look.at, clear_, &look.clear_from))
    return false;
  if (look.clear_from >= look.at) return false;
  if (rule_ == CutRule::automaton && certain < look.clear_from) return false;
  // For most files with an automaton that is all.
  if (rule_ == CutRule::automaton && identity_ && !added.splits_normalized()) return true;

  const auto cuts = [&](const Border& b) {
    return b.x != kUnknownCharacter && b.y != kUnknownCharacter &&
           pipeline_.pre_tokenizer().cuts_between(b.x, b.y);
  };
  // Nothing but the characters beside the place decides then.
  if (rule_ == CutRule::neighbours && !added.splits_normalized()) {
    look.border = border_at(look.text, look.at);
    return (identity_ || pipeline_.normalizer().apart(look.border)) && cuts(look.border);
  }

  if (!normalized_around(look, scratch)) return false;
  std::size_t clear_from = 0;
  const std::string joined = look.a + look.b;
  if (added.splits_normalized() &&
      !added.parts_normalized_at(joined, look.a.size(), kClearBytes, &clear_from))
    return false;

  switch (rule_) {
    case CutRule::none:
      return false;
    case CutRule::neighbours:
      return cuts(look.border);
    case CutRule::automaton: {
      // The text looked at, and the character that is shown ahead, are what they are normalized to.
      const std::size_t next = next_character(look.text, look.at);
      if (look.text.substr(look.from, look.to - look.from) != joined || next > look.to)
        return false;
      if (certain < look.from + clear_from) return false;
      if (identity_) return true;
      Border shown = border_at(look.text, next);
      const Border here = border_at(look.text, look.at);
      return look.border.y == here.y && !look.border.may_vanish && certain >= look.from &&
             pipeline_.normalizer().apart(shown);
    }
    case CutRule::whole: {
      const auto& chain = pipeline_.pre_tokenizer();
      if (look.border.x == kUnknownCharacter || look.border.y == kUnknownCharacter) return false;
      if (!chain.passes(look.border.x) || !chain.passes(look.border.y)) return false;
      std::string left = look.a.substr(clear_from), right = look.b;
      chain.rewrite_inside(left);
      chain.rewrite_inside(right);
      const std::size_t reach = *pipeline_.model().parts_reach();
      if (left.size() < reach || right.empty()) return false;
      return pipeline_.model().parts_at(left + right, left.size(), *scratch.model);
    }
  }
  return false;
}

// Boundaries that are certain, until one is a seam. Each search for certainty starts anew behind
// what refused the last one.
std::size_t Seams::first_certain(std::string_view text, std::size_t from, std::size_t to,
                                 bool want_last, EncodeScratch& scratch) const {
  std::size_t found = kNone;
  std::size_t certain_from = from;
  for (std::size_t tries = 0; tries < kTries && certain_from < to; ++tries) {
    const std::string_view seen = text.substr(0, std::min(text.size(), certain_from + kSyncBytes));
    const std::size_t at = pipeline_.pre_tokenizer().certain_boundary_from(
        seen, static_cast<std::uint32_t>(certain_from));
    if (at >= seen.size() || at > to) break;
    if (at > from && holds(text, at, certain_from, scratch)) {
      found = at;
      if (!want_last) break;
    }
    // From a boundary on everything is known, but only what is certain from the right counts.
    certain_from = at == certain_from ? next_character(text, at) : at;
  }
  return found;
}

std::size_t Seams::first_neighbour(std::string_view text, std::size_t from, std::size_t to,
                                   bool want_last, EncodeScratch& scratch) const {
  std::size_t tries = 0;
  // Before blanks first: that is where most seams are.
  for (const bool blanks : {true, false}) {
    std::size_t found = kNone;
    std::size_t at = want_last ? to : next_character(text, from);
    while (tries < kTries && at > from && at <= to) {
      const bool blank = text[at] == ' ' || text[at] == '\n';
      if (blank == blanks && may_hold(text, at)) {
        ++tries;
        if (holds(text, at, at, scratch)) {
          found = at;
          break;
        }
      }
      at = want_last ? previous_character(text, at) : next_character(text, at);
    }
    if (found != kNone) return found;
  }
  return kNone;
}

std::size_t Seams::first(std::string_view text, std::size_t from, std::size_t to,
                         EncodeScratch& scratch) const {
  if (!refusal_.empty()) return kNone;
  to = std::min(to, text.size() - 1);
  if (from >= to) return kNone;
  return rule_ == CutRule::automaton ? first_certain(text, from, to, false, scratch)
                                     : first_neighbour(text, from, to, false, scratch);
}

std::size_t Seams::last(std::string_view text, std::size_t from, EncodeScratch& scratch) const {
  if (!refusal_.empty() || text.empty()) return kNone;
  const std::size_t to = previous_character(text, text.size());
  for (std::size_t reach = 64; from < to; reach *= 8) {
    std::size_t begin = to - from > reach ? to - reach : from;
    while (continues(text[begin])) ++begin;
    const std::size_t found = rule_ == CutRule::automaton
                                  ? first_certain(text, begin, to, true, scratch)
                                  : first_neighbour(text, begin, to, true, scratch);
    if (found != kNone || begin == from || reach > 4096) return found;
  }
  return kNone;
}

}  // namespace toktier::encode
