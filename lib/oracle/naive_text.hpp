#pragma once
// Text as the slow twin carries it: plain bytes, and for each byte the range of the document it
// stands for. A second, unoptimised reading of the reference's NormalizedString; shares nothing
// with unicode::AlignedText but the meaning. Private to lib/oracle. Units are bytes.

#include "toktier/error.hpp"
#include "toktier/types.hpp"
#include "unicode/aligned_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace toktier::oracle {

/// The slow twin does not answer for this text (too long for the textbook loops, or the regex
/// engine gave up). Says nothing about the reference; callers count it as skipped.
class NotCovered : public Error {
 public:
  explicit NotCovered(const std::string& reason)
      : Error(ErrorCode::unsupported, "naive: not covered: " + reason) {}
};

struct NaiveText {
  std::string text;
  std::vector<Span> sources;  ///< one per byte of text, in the document
  /// The part of the document this text was cut from.
  std::uint32_t shift = 0;
  std::uint32_t original_size = 0;
};

/// One character of a rewritten text; `change` is 0 when it takes the place of the next present
/// character, 1 when it is added.
struct NaiveChange {
  std::string character;
  int change = 0;
};

/// document[begin, end), standing for itself.
NaiveText naive_text(std::string_view document, std::size_t begin, std::size_t end);
/// The result of a normalizer run on document[text.base(), text.base() + original_size).
NaiveText naive_text(const unicode::AlignedText& text, std::size_t original_size);
/// text[begin, end), a text of its own.
NaiveText slice(const NaiveText& text, std::size_t begin, std::size_t end);
/// What text[begin, end) stands for. An empty or overlong range is passed on as numbers, as the
/// reference does.
Span original(const NaiveText& text, std::size_t begin, std::size_t end);
/// Replaces text[begin, end) by `changes`.
void rewrite(NaiveText& text, std::size_t begin, std::size_t end,
             const std::vector<NaiveChange>& changes);
/// Replaces what stands for the whole original by `changes`: the whole text, unless its beginning
/// stands for nothing.
void rewrite_all(NaiveText& text, const std::vector<NaiveChange>& changes);
/// Puts one character before the text, which must not be empty.
void prepend(NaiveText& text, const std::string& character);

/// The characters of well-formed text, each in UTF-8.
std::vector<std::string> characters(std::string_view text);

}  // namespace toktier::oracle
