// A split pattern, a newline, and a text. Compiling gives a splitter or a toktier::Error. The
// pieces of an isolating split must tile the text, and the streaming form must give the same pieces
// as the general one.

#include "model/spec.hpp"
#include "pretok/pretokenizer.hpp"
#include "toktier/error.hpp"
#include "unicode/aligned_text.hpp"
#include "unicode/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using toktier::pretok::Piece;
using toktier::pretok::PreTokenizer;

void check_tiling(const std::vector<Piece>& pieces, std::size_t size) {
  std::size_t at = 0;
  for (const Piece& piece : pieces) {
    if (piece.begin != at || piece.end <= piece.begin) std::abort();
    at = piece.end;
  }
  if (at != size) std::abort();
}

void check_streaming(const PreTokenizer& splitter, std::string_view text,
                     const std::vector<Piece>& pieces) {
  std::uint32_t ends[3];  // small on purpose: the scan has to stop and go on
  std::uint32_t at = 0;
  std::size_t done = 0;
  while (const std::size_t count = splitter.scan(text, &at, ends, 3)) {
    for (std::size_t i = 0; i < count; ++i, ++done) {
      if (done == pieces.size() || pieces[done].end != ends[i]) std::abort();
    }
  }
  if (done != pieces.size() || at != text.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = input.find('\n');
  const std::string_view pattern = input.substr(0, newline);
  const std::string_view text =
      newline == std::string_view::npos ? std::string_view{} : input.substr(newline + 1);
  if (toktier::unicode::find_invalid_utf8(pattern) || toktier::unicode::find_invalid_utf8(text))
    return 0;

  toktier::model::PreSplit split;
  split.pattern = {true, std::string(pattern)};
  try {
    const PreTokenizer splitter =
        PreTokenizer::compile({split}, toktier::model::Reference::hf_tokenizers);
    toktier::unicode::AlignedText aligned;
    aligned.reset(text, 0, false);
    std::vector<Piece> pieces;
    splitter.run(aligned, pieces);
    check_tiling(pieces, text.size());
    if (splitter.streams()) check_streaming(splitter, text, pieces);
  } catch (const toktier::Error&) {
  }
  return 0;
}
