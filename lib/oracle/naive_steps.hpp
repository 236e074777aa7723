#pragma once
// The slow twins of the pre-tokenizer steps: one plain loop each, over a text that carries its
// sources, in the reference's order; regexes by the Boost split oracle on the original pattern.
// Steps after ByteLevel see the mapped characters, as there. Private to lib/oracle.

#include "model/spec.hpp"
#include "oracle/naive_text.hpp"

#include <memory>
#include <string>
#include <vector>

namespace toktier::oracle {

/// Not thread-safe: one object a thread.
class NaiveStep {
 public:
  virtual ~NaiveStep() = default;
  /// Appends the parts of `text` (not empty); empty parts may be among them.
  virtual void run(const NaiveText& text, std::vector<NaiveText>& out) const = 0;
};

/// Throws Error{unsupported} naming what is not covered.
std::unique_ptr<NaiveStep> make_naive_step(const model::PreTokenizer& step,
                                           model::Reference reference);

/// The character that stands for `byte` in the byte alphabet.
std::string alphabet_character(unsigned char byte);

}  // namespace toktier::oracle
