// Every code point, between letters, blanks and digits, against what the engine made of it: one
// flipped character of one class shows, also where the slow twin reads the same tables.

#include "base/sha256.hpp"
#include "pretok/chain_text.hpp"
#include "pretok/pretokenizer.hpp"
#include "unicode/utf8.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace toktier::pretok {

namespace {

// As tools/class_sweeps.py writes them.
std::vector<std::string> blocks() {
  constexpr std::size_t kBlock = 256;
  std::vector<std::string> texts;
  std::size_t in_block = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    if (in_block == 0) texts.emplace_back();
    in_block = (in_block + 1) % kBlock;
    std::string one;
    unicode::append_utf8(one, c);
    texts.back() += "a" + one + "C " + one + "Cb1" + one + "\n";
  }
  return texts;
}

struct Sweep {
  std::string digest;
  std::size_t pieces = 0;
};

void put(std::string& bytes, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<char>((number >> shift) & 0xFF));
}

Sweep sweep(const PreTokenizer& pretok, const std::vector<std::string>& texts) {
  Sweep out;
  base::Sha256 digest;
  unicode::AlignedText text;
  std::vector<Piece> pieces;
  std::string bytes;
  for (const std::string& one : texts) {
    text.reset(one, 0, true);
    pretok.run(text, pieces);
    bytes.clear();
    for (const Piece& piece : pieces) {
      const Span span = text.original({piece.begin, piece.end});
      put(bytes, span.begin);
      put(bytes, span.end);
    }
    digest.update(bytes);
    out.pieces += pieces.size();
  }
  out.digest = digest.hex();
  return out;
}

}  // namespace

TEST_CASE("every code point is cut as the engine cuts it") {
  const char* root = std::getenv("TOKTIER_SOURCE_DIR");
  std::ifstream in(std::string(root != nullptr ? root : ".") +
                   "/lib/pretok/testing/class_sweeps.tsv");
  const std::vector<std::string> texts = blocks();
  std::size_t chains = 0;
  std::size_t pieces = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t one = line.find('\t');
    const std::size_t two = line.find('\t', one + 1);
    const std::string chain = line.substr(two + 1);
    CAPTURE(chain);
    const Sweep got =
        sweep(PreTokenizer::compile(parse_chain(chain), model::Reference::hf_tokenizers), texts);
    CHECK(std::to_string(got.pieces) == line.substr(one + 1, two - one - 1));
    CHECK_MESSAGE(got.digest == line.substr(0, one),
                  "tools/compare_chains.py --every-code-point shows the characters");
    ++chains;
    pieces += got.pieces;
  }
  fmt::print("class sweeps: {} chains, {} pieces\n", chains, pieces);
  CHECK(chains >= 20);
}

}  // namespace toktier::pretok
