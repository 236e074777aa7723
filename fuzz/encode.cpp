// Any bytes given as text to the embedded GPT-2 tokenizer. Three answers must agree: a fresh call,
// a call through scratch space that has seen all earlier inputs, and count(); and decoding must
// give the text back (ill-formed parts replaced).

#include "toktier/tokenizer.hpp"
#include "unicode/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const toktier::Tokenizer kTokenizer = toktier::Tokenizer::load("embedded");
  static toktier::Tokenizer::Scratch scratch(kTokenizer);
  static toktier::Encoding warm;

  const std::string_view text(reinterpret_cast<const char*>(data), size);
  toktier::EncodeOptions options;
  options.invalid = toktier::InvalidUtf8::replace;
  options.special = toktier::SpecialMode::none;

  const toktier::Encoding cold = kTokenizer.encode(text, options);
  kTokenizer.encode(text, options, scratch, warm);
  if (cold.ids != warm.ids) std::abort();
  if (kTokenizer.count(text, options) != cold.ids.size()) std::abort();

  if (kTokenizer.decode(cold.ids) != toktier::unicode::replace_invalid_utf8(text)) std::abort();
  return 0;
}
