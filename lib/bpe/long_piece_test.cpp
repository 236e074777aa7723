// Pieces of many thousand symbols, which go from the text into the sink window by window, against
// the textbook loop; and the pieces of several calls in one open batch.

#include "bpe/bpe_model.hpp"
#include "unicode/utf8.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace toktier::bpe {
namespace {

model::TokenizerSpec byte_ranks() {
  model::TokenizerSpec spec;
  spec.kind = model::FileKind::tiktoken;
  spec.reference = model::Reference::tiktoken;
  model::Bpe bpe;
  bpe.priority = model::Bpe::Priority::ranks;
  bpe.ignore_merges = true;
  for (unsigned b = 0; b < 256; ++b)
    REQUIRE(spec.vocab.add(spec.vocab.end_id(), std::string(1, static_cast<char>(b))));
  for (const char* text : {"ab", "ba", "aa", "aba", "abab", "aaaa", "bab", "aabb", "bb"})
    REQUIRE(spec.vocab.add(spec.vocab.end_id(), text));
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id) bpe.rank.push_back(id);
  spec.model = bpe;
  spec.vocab.index();
  return spec;
}

// Characters of one, two and three bytes; "c" is unknown and spelled by bytes.
model::TokenizerSpec character_list() {
  model::TokenizerSpec spec;
  spec.kind = model::FileKind::tokenizer_json;
  spec.reference = model::Reference::hf_tokenizers;
  model::Bpe bpe;
  bpe.byte_fallback = true;
  for (unsigned b = 0; b < 256; ++b) REQUIRE(spec.vocab.add(b, fmt::format("<0x{:02X}>", b)));
  std::map<std::string, TokenId> ids;
  for (const char* text : {"a", "b", "\xC3\xA9", "\xE4\xB8\xAD"}) {
    ids[text] = spec.vocab.end_id();
    REQUIRE(spec.vocab.add(ids[text], text));
  }
  const auto merge = [&](const std::string& left, const std::string& right) {
    const TokenId result = spec.vocab.end_id();
    REQUIRE(spec.vocab.add(result, left + right));
    bpe.merges.push_back({ids.at(left), ids.at(right), result});
    ids[left + right] = result;
  };
  merge("a", "b");
  merge("ab", "a");
  merge("\xC3\xA9", "\xC3\xA9");
  merge("b", "\xE4\xB8\xAD");
  merge("ab", "ab");
  merge("aba", "\xC3\xA9");
  merge("a", "a");
  spec.model = bpe;
  spec.vocab.index();
  return spec;
}

// The smallest, leftmost merge again and again; ranks by the texts of a pair.
using Ranks = std::map<std::pair<std::string, std::string>, std::uint32_t>;
std::vector<std::string> textbook(std::vector<std::string> symbols, const Ranks& ranks) {
  for (;;) {
    std::uint32_t best = 0xFFFFFFFF;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = ranks.find({symbols[i], symbols[i + 1]});
      if (found != ranks.end()) best = std::min(best, found->second);
    }
    if (best == 0xFFFFFFFF) return symbols;
    // From the left, as long as no merge brings up a pair that would come before the next one.
    std::vector<std::string> out;
    bool smaller = false;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (!smaller && i + 1 < symbols.size()) {
        const auto found = ranks.find({symbols[i], symbols[i + 1]});
        if (found != ranks.end() && found->second == best) {
          out.push_back(symbols[i] + symbols[i + 1]);
          ++i;
          const auto beside = [&](const std::string& x, const std::string& y) {
            const auto pair = ranks.find({x, y});
            smaller |= pair != ranks.end() && pair->second <= best;
          };
          if (out.size() > 1) beside(out[out.size() - 2], out.back());
          if (i + 1 < symbols.size()) beside(out.back(), symbols[i + 1]);
          continue;
        }
      }
      out.push_back(symbols[i]);
    }
    symbols = std::move(out);
  }
}

std::vector<TokenId> encode(const Model& model, std::string_view text, Workspace& workspace) {
  std::vector<TokenId> ids;
  const auto end = static_cast<std::uint32_t>(text.size());
  TokenSink sink(ids, nullptr);
  model.encode(text, 0, {&end, 1}, workspace, sink);
  sink.finish();
  return ids;
}

}  // namespace

TEST_CASE("long pieces equal the textbook loop, bytes and characters") {
  std::mt19937 rng(5);
  std::size_t symbols_seen = 0;
  for (const bool characters : {false, true}) {
    const model::TokenizerSpec spec = characters ? character_list() : byte_ranks();
    const auto model = compile_model(spec, false);
    Ranks ranks;
    if (characters) {
      std::uint32_t rank = 0;
      for (const model::Merge& m : std::get<model::Bpe>(spec.model).merges)
        ranks[{std::string(spec.vocab[m.left]), std::string(spec.vocab[m.right])}] = rank++;
    } else {
      for (TokenId id = 256; id < spec.vocab.end_id(); ++id) {
        const std::string text(spec.vocab[id]);
        for (std::size_t cut = 1; cut < text.size(); ++cut)
          if (spec.vocab.find(text.substr(0, cut)) != model::kNoToken &&
              spec.vocab.find(text.substr(cut)) != model::kNoToken)
            ranks[{text.substr(0, cut), text.substr(cut)}] = id;
      }
    }
    for (int round = 0; round < 14; ++round) {
      std::vector<std::string> symbols;
      std::string text;
      const std::size_t n = 9000 + rng() % 20000;
      const std::size_t period = round % 3 == 0 ? 1 + rng() % 5 : n;
      for (std::size_t i = 0; i < n; ++i) {
        if (i >= period) {
          symbols.push_back(symbols[i - period]);
        } else if (characters && rng() % 3 == 0) {
          symbols.emplace_back(rng() % 2 == 0 ? "\xC3\xA9" : "\xE4\xB8\xAD");
        } else {
          symbols.emplace_back(rng() % 2 == 0 ? "a" : "b");
        }
        text += symbols.back();
      }
      std::vector<TokenId> expected;
      for (const std::string& token : textbook(symbols, ranks))
        expected.push_back(spec.vocab.find(token));
      const auto workspace = model->workspace(std::size_t{1} << 20);
      REQUIRE(encode(*model, text, *workspace) == expected);
      REQUIRE(encode(*model, text, *workspace) == expected);
      symbols_seen += n;
      // A character that needs byte tokens takes the way with memory of its own.
      if (characters) {
        const std::string with = text + "c";
        expected.push_back(spec.vocab.find("<0x63>"));
        REQUIRE(encode(*model, with, *workspace) == expected);
      }
    }
  }
  fmt::print("long pieces: {} symbols\n", symbols_seen);
}

TEST_CASE("an open batch gives what call after call gives") {
  const model::TokenizerSpec specs[] = {byte_ranks(), character_list()};
  const std::unique_ptr<Model> models[] = {compile_model(specs[0], false),
                                           compile_model(specs[1], false)};
  std::mt19937 rng(6);
  for (int round = 0; round < 120; ++round) {
    const auto& model = models[round / 2 % 2];
    const auto closed = model->workspace(round % 2 == 0 ? 0 : 1 << 16),
               open = model->workspace(round % 2 == 0 ? 0 : 1 << 16);
    open->start();
    open->keep_open = true;
    const unsigned letters = round / 4 % 2 == 0 ? 5 : 1;  // how often "c" stands between segments
    std::vector<TokenId> expected, got;
    for (int call = 0; call < 400; ++call) {
      // Each text has memory of its own that is gone after the call.
      std::string text;
      const std::size_t n = rng() % 50 == 0 ? 9000 : 1 + rng() % 40;
      for (std::size_t i = 0; i < n; ++i)
        text += static_cast<char>('a' + (rng() % 16 < letters ? 2 : rng() % 2));
      std::vector<std::uint32_t> ends;
      for (std::size_t at = 0; at < text.size();) {
        at = std::min<std::size_t>(text.size(), at + 1 + rng() % (n > 1000 ? 9000 : 20));
        ends.push_back(static_cast<std::uint32_t>(at));
      }
      {
        TokenSink sink(expected, nullptr);
        model->encode(text, 0, ends, *closed, sink);
      }
      {
        TokenSink sink(got, nullptr);
        model->encode(text, 0, ends, *open, sink);
      }
      text.assign(text.size(), 'z');
      if (rng() % 4 == 0) {
        const TokenId literal = 1000 + static_cast<TokenId>(rng() % 5);
        expected.push_back(literal);
        TokenSink sink(got, nullptr);
        model->put_literal(literal, *open, sink);
      }
    }
    TokenSink sink(got, nullptr);
    model->finish(*open, sink);
    sink.finish();
    REQUIRE(got == expected);
  }
}

}  // namespace toktier::bpe
