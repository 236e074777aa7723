#include "pretok/character_class_parser.hpp"

#include "unicode/utf8.hpp"

#include <string>
#include <vector>

namespace toktier::pretok {

using unicode::CodePointRange;
using unicode::CodePointSet;

namespace {

constexpr int kMaxClassDepth = 40;

std::uint32_t hex_digits(PatternCursor& in, std::size_t least, std::size_t most) {
  std::uint32_t value = 0;
  std::size_t count = 0;
  while (count < most && !in.done()) {
    const char32_t c = in.peek();
    std::uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<std::uint32_t>(c - 'A' + 10);
    } else {
      break;
    }
    in.next();
    value = value * 16 + digit;
    ++count;
  }
  if (count < least) in.fail_input("hexadecimal digits expected");
  if (value > unicode::kMaxCodePoint || (value >= 0xD800 && value <= 0xDFFF)) {
    in.fail_input("escape is no character");
  }
  return value;
}

CodePointSet property(PatternCursor& in, const Dialect& dialect, bool negative, bool in_class) {
  std::string name;
  if (in.take('{')) {
    if (in.take('^')) negative = !negative;
    while (!in.done() && in.peek() != '}') unicode::append_utf8(name, in.next());
    if (!in.take('}')) in.fail_input("unterminated \\p{");
  } else {
    if (!dialect.short_properties) in.fail("\\p without braces");
    unicode::append_utf8(name, in.next());
  }
  const unicode::RegexProfile& profile = *dialect.profile;
  // Inside brackets Oniguruma reads \p{Word} as [:word:]; alone it holds a few signs below U+0100
  // more.
  const CodePointSet* set = nullptr;
  if (in_class && !dialect.short_properties) set = profile.binary("[:" + name + ":]");
  if (set == nullptr) set = profile.category(name);
  if (set == nullptr) set = profile.script(name);
  if (set == nullptr) set = profile.binary(name);
  if (set == nullptr) in.fail("unknown property \\p{" + name + "}");
  return negative ? set->complement() : *set;
}

CodePointSet posix_set(PatternCursor& in, const Dialect& dialect, const std::string& name) {
  const CodePointSet* set = dialect.profile->binary("[:" + name + ":]");
  if (set == nullptr) in.fail("POSIX bracket [:" + name + ":]");
  return *set;
}

std::optional<CodePointSet> posix_bracket(PatternCursor& in, const Dialect& dialect) {
  if (!in.peek_is("[:")) return std::nullopt;
  in.next();
  in.next();
  const bool negative = in.take('^');
  std::string name;
  while (!in.done() && in.peek() >= 'a' && in.peek() <= 'z') unicode::append_utf8(name, in.next());
  if (!in.peek_is(":]")) in.fail("[: that starts no POSIX bracket");
  in.next();
  in.next();
  const CodePointSet set = posix_set(in, dialect, name);
  return negative ? set.complement() : set;
}

CodePointSet class_body(PatternCursor& in, const Dialect& dialect, int depth);

// One member: a nested class, an escape for a set, a character or a range. Ranges go to `ranges`.
void member(PatternCursor& in, const Dialect& dialect, int depth, bool first,
            std::vector<CodePointRange>* ranges) {
  const auto add = [ranges](const CodePointSet& set) {
    ranges->insert(ranges->end(), set.ranges().begin(), set.ranges().end());
  };
  if (const auto set = posix_bracket(in, dialect)) return add(*set);
  if (in.take('[')) return add(class_body(in, dialect, depth + 1));
  char32_t low = in.next();
  if (low == '\\') {
    if (const auto set = parse_class_escape(in, dialect, true)) {
      if (in.peek_is('-') && !in.peek_is("-]")) in.fail("- after a set in a class");
      return add(*set);
    }
    low = parse_character_escape(in, dialect, true);
  } else if (low == '-' && !first && !in.peek_is(']')) {
    in.fail("- in the middle of a class");
  } else if (low == '&' && in.peek_is('&')) {
    in.fail("&& at the start of a class part");
  }
  if (!in.peek_is('-') || in.peek_is("-]") || in.peek_is("-&&")) {
    ranges->push_back({low, low});
    return;
  }
  in.next();
  if (in.peek_is('[')) in.fail("range that ends in a class");
  char32_t high = in.next();
  if (high == '\\') {
    if (parse_class_escape(in, dialect, true)) in.fail("range that ends in a set");
    high = parse_character_escape(in, dialect, true);
  }
  if (high < low) in.fail_input("range with its ends swapped");
  ranges->push_back({low, high});
}

/// What stands in the brackets; `*negative` tells whether the class is its complement.
CodePointSet class_members(PatternCursor& in, const Dialect& dialect, int depth, bool* negative) {
  if (depth > kMaxClassDepth) in.fail("classes nested too deeply");
  *negative = in.take('^');
  if (in.peek_is(']')) in.fail("empty class or class that starts with ]");
  std::optional<CodePointSet> left;  // what stands before `&&`
  std::vector<CodePointRange> ranges;
  bool first = true;
  const auto close_part = [&] {
    const CodePointSet part{std::span<const CodePointRange>(ranges)};
    left = left ? left->intersected(part) : part;
    ranges.clear();
    first = true;
  };
  while (!in.take(']')) {
    if (in.done()) in.fail_input("unterminated class");
    if (in.peek_is("&&")) {
      in.next();
      in.next();
      if (first) in.fail("&& without a left side");
      close_part();
      if (in.peek_is(']')) in.fail("&& without a right side");
      continue;
    }
    member(in, dialect, depth, first, &ranges);
    first = false;
  }
  close_part();
  return *left;
}

CodePointSet class_body(PatternCursor& in, const Dialect& dialect, int depth) {
  bool negative = false;
  const CodePointSet set = class_members(in, dialect, depth, &negative);
  return negative ? set.complement() : set;
}

}  // namespace

CodePointSet parse_character_class(PatternCursor& in, const Dialect& dialect, bool* negative) {
  return class_members(in, dialect, 0, negative);
}

std::optional<CodePointSet> parse_class_escape(PatternCursor& in, const Dialect& dialect,
                                               bool in_class) {
  if (in.done()) return std::nullopt;
  const char32_t c = in.peek();
  const unicode::RegexProfile& profile = *dialect.profile;
  const auto either = [&in, c](const CodePointSet& set, char32_t plain) {
    in.next();
    return c == plain ? set : set.complement();
  };
  switch (c) {
    case 's':
    case 'S':
      return either(profile.space(), 's');
    case 'd':
    case 'D':
      return either(profile.digit(), 'd');
    case 'w':
    case 'W': {
      // Oniguruma has two of them: alone, \w also holds a few signs below U+0100 that [\w] does
      // not.
      const bool bracket = in_class && !dialect.short_properties;
      const CodePointSet* word = bracket ? profile.binary("[:word:]") : nullptr;
      return either(word != nullptr ? *word : profile.word(), 'w');
    }
    case 'h':
    case 'H':
      return either(profile.hex_digit(), 'h');
    case 'p':
    case 'P':
      in.next();
      return property(in, dialect, c == 'P', in_class);
    default:
      return std::nullopt;
  }
}

char32_t parse_character_escape(PatternCursor& in, const Dialect& dialect, bool in_class) {
  const char32_t c = in.next();
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case 'a':
      return '\a';
    case 'e':
      if (!dialect.short_properties) return 0x1B;
      break;
    case 'b':
      if (in_class && !dialect.short_properties) return '\b';
      break;
    case 'x': {
      if (!in.take('{')) {
        const std::uint32_t value = hex_digits(in, 2, 2);
        if (value > 0x7F) in.fail("\\x above 7F (a raw byte in some engines)");
        return value;
      }
      const std::uint32_t value = hex_digits(in, 1, 8);
      if (!in.take('}')) in.fail_input("unterminated \\x{");
      return value;
    }
    case 'u':
      if (in.peek_is('{')) in.fail("\\u{");
      return hex_digits(in, 4, 4);
    default:
      if (c > 0x7F) in.fail("escape of a non-ASCII character");
      if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) break;
      return c;
  }
  std::string name = "escape \\";
  unicode::append_utf8(name, c);
  in.fail(name);
}

}  // namespace toktier::pretok
