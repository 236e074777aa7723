// Reads texts, prints pieces: the pipe end of the comparison with the reference engines
// (compare_chains.py).
//
//   pretok_probe hf|tiktoken 'chain as in chain_text.hpp' < frames > frames
//
// In: 4-byte little-endian length, text; repeated. Out, per text: 4-byte count, then for each piece
// begin and end (byte offsets in the final text) and the source begin and end (in the text given),
// then 4-byte length and the final text. First frame out: describe(). Exit: 0, 2 when the chain
// does not compile (message on stderr).

#include "pretok/chain_text.hpp"
#include "pretok/pretokenizer.hpp"
#include "toktier/error.hpp"

#include <cstdio>
#include <cstring>
#include <string>

namespace {

bool read_exactly(void* to, std::size_t size) { return std::fread(to, 1, size, stdin) == size; }

void put32(std::uint32_t v) { std::fwrite(&v, 4, 1, stdout); }

void put_text(std::string_view text) {
  put32(static_cast<std::uint32_t>(text.size()));
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: pretok_probe hf|tiktoken CHAIN\n", stderr);
    return 2;
  }
  try {
    const auto reference = std::strcmp(argv[1], "tiktoken") == 0
                               ? toktier::model::Reference::tiktoken
                               : toktier::model::Reference::hf_tokenizers;
    const auto pretok =
        toktier::pretok::PreTokenizer::compile(toktier::pretok::parse_chain(argv[2]), reference);
    put_text(pretok.describe());
    std::fflush(stdout);
    std::uint32_t size = 0;
    std::string text;
    std::vector<toktier::pretok::Piece> pieces;
    toktier::unicode::AlignedText aligned;
    while (read_exactly(&size, 4)) {
      text.resize(size);
      if (!read_exactly(text.data(), size)) return 2;
      aligned.reset(text, 0, true);
      pretok.run(aligned, pieces);
      put32(static_cast<std::uint32_t>(pieces.size()));
      for (const auto& piece : pieces) {
        put32(piece.begin);
        put32(piece.end);
        const toktier::Span source = aligned.original({piece.begin, piece.end});
        put32(source.begin);
        put32(source.end);
      }
      put_text(aligned.text());
      std::fflush(stdout);
    }
  } catch (const toktier::Error& error) {
    std::fprintf(stderr, "pretok_probe: %s\n", error.what());
    return 2;
  }
  return 0;
}
