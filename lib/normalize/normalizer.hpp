#pragma once
// The compiled chain of normalizers of one tokenizer.

#include <memory>
#include <vector>

#include "model/spec.hpp"
#include "unicode/aligned_text.hpp"

namespace toktier::normalize {

/// Immutable after compile(); shared among threads.
class Normalizer {
 public:
  static Normalizer compile(const std::vector<model::Normalizer>& steps, model::Reference reference);
  Normalizer(Normalizer&&) noexcept;
  Normalizer& operator=(Normalizer&&) noexcept;
  ~Normalizer();

  /// No step at all, or steps that never change anything.
  bool identity() const;
  /// Rewrites `text` in place; leaves it untouched (text.identity()) when the text is already normal, after a quick
  /// check that runs at memory speed for ASCII.
  void run(unicode::AlignedText& text) const;

 private:
  struct Impl;
  explicit Normalizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier::normalize
