// Ids are a function of the piece's bytes alone: pieces that a cache could take for one another,
// all lengths around its borders, in random order, against a workspace without a cache.

#include "bpe/model.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace toktier::bpe {

namespace {

// A rank file of all bytes and a few tokens.
model::TokenizerSpec ranks(bool whole_pieces_first) {
  model::TokenizerSpec spec;
  spec.kind = model::FileKind::tiktoken;
  spec.reference = model::Reference::tiktoken;
  model::Bpe bpe;
  bpe.priority = model::Bpe::Priority::ranks;
  bpe.ignore_merges = whole_pieces_first;
  const auto add = [&](const std::string& bytes) {
    REQUIRE(spec.vocab.add(static_cast<TokenId>(spec.vocab.end_id()), bytes));
  };
  for (unsigned b = 0; b < 256; ++b) add(std::string(1, static_cast<char>(b)));
  for (const char* text : {"ab", "abc", "aa", "aaaa", "cab", "qrx", "jk", "ij", "kl", "ijkl"})
    add(text);
  add(std::string("a\0", 2));
  add(std::string("\0\0", 2));
  add(std::string("\0\0\0\0", 4));
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id) bpe.rank.push_back(id);
  spec.model = bpe;
  spec.vocab.index();
  return spec;
}

// Pieces that differ in one byte, or in NUL bytes at their end, or not at all.
std::vector<std::string> pieces() {
  std::vector<std::string> out;
  for (std::size_t length = 1; length <= 70; length += length < 40 ? 1 : 6) {
    out.emplace_back(length, '\0');
    out.emplace_back(length, 'a');
    for (std::size_t nuls = 1; nuls < length && nuls <= 8; ++nuls)
      out.push_back(std::string(length - nuls, 'a') + std::string(nuls, '\0'));
    for (std::size_t at = 0; at < length; ++at) {
      std::string other(length, 'a');
      for (const char c : {'b', 'c', '\0'}) {
        other[at] = c;
        out.push_back(other);
      }
    }
  }
  out.emplace_back("qrx");  // a token no merge builds: found only as a whole piece
  out.emplace_back("zqrxz");
  // Long enough to be cut: "qrx" is then a segment, which is no whole piece.
  out.push_back(std::string(20, 'z') + "qrx" + std::string(20, 'z'));
  out.emplace_back("qrxab");
  out.emplace_back("ijkl");  // a token that merging does not reach, for "jk" comes first
  out.push_back(std::string(16, 'z') + "ijklzz");  // cut into parts, one of them the same bytes
  return out;
}

std::vector<TokenId> encode(const Model& model, const std::string& piece, Workspace& workspace) {
  std::vector<TokenId> ids;
  const auto end = static_cast<std::uint32_t>(piece.size());
  {
    TokenSink sink(ids, nullptr);
    model.encode(piece, 0, {&end, 1}, workspace, sink);
  }
  return ids;
}

}  // namespace

TEST_CASE("what a cache has seen never changes the ids of a piece") {
  const std::vector<std::string> all = pieces();
  for (const bool whole_pieces_first : {false, true}) {
    const model::TokenizerSpec spec = ranks(whole_pieces_first);
    const auto model = compile_model(spec, false);
    std::vector<std::vector<TokenId>> expected;
    for (const std::string& piece : all)
      expected.push_back(encode(*model, piece, *model->workspace(0)));
    for (const std::size_t budget : {std::size_t{1} << 12, std::size_t{1} << 24}) {
      const auto workspace = model->workspace(budget);
      std::vector<std::size_t> order(all.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::mt19937 random(20260104);
      std::size_t differ = 0;
      for (int pass = 0; pass < 4; ++pass) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order)
          differ += encode(*model, all[i], *workspace) == expected[i] ? 0 : 1;
      }
      CHECK(differ == 0);
    }
  }
  fmt::print("cache history: {} pieces\n", all.size());
  CHECK(all.size() > 2000);
}

TEST_CASE("a part of a piece is merged even where a whole piece of the same bytes is a token") {
  const model::TokenizerSpec spec = ranks(true);
  const auto model = compile_model(spec, false);
  const auto id = [&](const char* text) { return spec.vocab.find(text); };
  const std::vector<TokenId> whole = {id("ijkl")};
  std::vector<TokenId> parts(16, id("z"));
  parts.insert(parts.end(), {id("i"), id("jk"), id("l"), id("z"), id("z")});
  const std::string longer = std::string(16, 'z') + "ijklzz";
  for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 24}) {
    for (const bool whole_before : {false, true}) {
      const auto workspace = model->workspace(budget);
      for (int pass = 0; pass < 3; ++pass) {
        if (whole_before || pass > 0) CHECK(encode(*model, "ijkl", *workspace) == whole);
        CHECK(encode(*model, longer, *workspace) == parts);
      }
    }
  }
  // Both in one batch.
  const std::string text = "ijkl" + longer + "ijkl";
  const std::uint32_t ends[] = {4, 26, 30};
  std::vector<TokenId> ids;
  {
    TokenSink sink(ids, nullptr);
    model->encode(text, 0, ends, *model->workspace(1U << 20), sink);
  }
  std::vector<TokenId> expected = whole;
  expected.insert(expected.end(), parts.begin(), parts.end());
  expected.push_back(whole[0]);
  CHECK(ids == expected);
}

}  // namespace toktier::bpe
