#pragma once
// The compiled chain of normalizers of one tokenizer.

#include "model/spec.hpp"
#include "normalize/border.hpp"
#include "normalize/regex_finder.hpp"
#include "unicode/aligned_text.hpp"

#include <memory>
#include <string>
#include <vector>

namespace toktier::normalize {

struct CompileOptions {
  /// Runs Replace with a regex; without it such a step is refused.
  RegexFactory regex;
  /// SentencePiece only: texts of the user-defined pieces, which its normalizer leaves as they are.
  std::vector<std::string> kept_literals;
};

/// Immutable after compile(); shared among threads.
class Normalizer {
 public:
  /// Throws Error{input} for a damaged character map, Error{unsupported} for a regex without an
  /// engine; `where` of the error names the step ("normalizer[2]: Precompiled").
  static Normalizer compile(const std::vector<model::Normalizer>& steps, model::Reference reference,
                            const CompileOptions& options = {});
  Normalizer(Normalizer&&) noexcept;
  Normalizer& operator=(Normalizer&&) noexcept;
  ~Normalizer();

  /// No step at all, or steps that never change anything.
  bool identity() const;
  /// Rewrites `text` in place; leaves it untouched (text.identity()) when the text is already
  /// normal, after a quick check that runs at memory speed for ASCII. Throws Error{unsupported}
  /// only on a text on which the reference itself fails.
  void run(unicode::AlignedText& text) const;
  /// The same on a part of a text: what is done at the ends of a text is not done at open ends.
  /// Exact for parts that begin and end at borders that are apart().
  void run_open(unicode::AlignedText& text, Open open) const;

  /// The text may be cut at this border and the parts normalized alone (border.hpp). `border`
  /// becomes the characters beside it in the normalized text. False proves nothing.
  bool apart(Border& border) const;

 private:
  struct Impl;
  explicit Normalizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier::normalize
