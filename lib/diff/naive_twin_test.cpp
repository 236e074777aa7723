// The composed pipeline against its slow twin on tokenizers of a few dozen entries: every model and
// switch, every pre-tokenizer step, normalizers that move text, added tokens with every flag. Ids,
// spans and pieces before post-processing. Faults planted in what the twin is given must show.

#include "encode/pipeline.hpp"
#include "model/testing/small_worlds.hpp"
#include "oracle/naive_text.hpp"
#include "oracle/naive_tokenizer.hpp"
#include "report/escape.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <functional>
#include <map>

namespace {

using namespace toktier;
using namespace toktier::model::testing;
using model::SplitBehavior;
using model::TokenizerSpec;

struct Tally {
  std::uint64_t compared = 0, both_refuse = 0, refused_by_name = 0, not_covered = 0, differ = 0;
  std::string first;
  std::map<std::string, std::uint64_t> refusals;  // what the twin says where both refuse
  void operator+=(const Tally& other) {
    compared += other.compared;
    both_refuse += other.both_refuse;
    refused_by_name += other.refused_by_name;
    not_covered += other.not_covered;
    differ += other.differ;
    if (first.empty()) first = other.first;
    for (const auto& [reason, n] : other.refusals) refusals[reason] += n;
  }
};

template <class T>
std::string show(const std::vector<T>& list) {
  std::string out;
  for (const T& item : list) {
    if constexpr (std::is_same_v<T, Span>)
      out += fmt::format("[{},{}) ", item.begin, item.end);
    else
      out += fmt::format("{} ", item);
  }
  return out;
}

// Ids alone go other ways than ids with spans, and so do counts: all give the same.
void compare_ways(const encode::Pipeline& pipeline, std::string_view text,
                  const added::SpecialFilter& filter, encode::EncodeScratch& scratch,
                  const std::vector<TokenId>& ids) {
  Encoding alone;
  pipeline.run(text, filter, {}, scratch, alone);
  CHECK_MESSAGE(alone.ids == ids, "\"" << report::escape_preview(text, 200) << "\": ids alone "
                                       << show(alone.ids) << ", with spans " << show(ids));
  encode::EncodeWants wants;
  wants.count_only = true;
  for (const std::size_t limit : {SIZE_MAX, ids.size(), ids.size() / 2}) {
    wants.stop_after = limit;
    Encoding none;
    const std::size_t counted = pipeline.run(text, filter, wants, scratch, none);
    CHECK((limit < ids.size() ? counted > limit : counted == ids.size()));
  }
}

// Nothing: refused, with the reason in `why`.
std::optional<Encoding> ours(const encode::Pipeline& pipeline, std::string_view text,
                             SpecialMode mode, encode::EncodeScratch& scratch, std::string& why) {
  encode::EncodeWants wants;
  wants.spans = wants.pieces = true;
  Encoding out;
  const added::SpecialFilter filter = pipeline.added().filter(mode);
  try {
    pipeline.run(text, filter, wants, scratch, out);
    compare_ways(pipeline, text, filter, scratch, out.ids);
  } catch (const Error& error) {
    why = error.what();
    return std::nullopt;
  }
  return out;
}

/// `fault` changes what the twin is given.
Tally compare(const TokenizerSpec& spec, const std::vector<std::string>& texts,
              const std::function<void(TokenizerSpec&)>& fault = nullptr) {
  const auto pipeline = encode::Pipeline::compile(spec);
  const auto scratch = pipeline->scratch(1 << 16);
  TokenizerSpec given = spec;
  if (fault) fault(given);
  const auto twin = oracle::NaiveTokenizer::compile(given);
  Tally tally;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    oracle::NaiveOptions options;
    options.special = i % 3 == 2 ? SpecialMode::none : SpecialMode::file_default;
    std::string why;
    const auto a = ours(*pipeline, texts[i], options.special, *scratch, why);
    std::optional<oracle::NaiveAnswer> b;
    std::string why_not;
    try {
      b = twin.encode(texts[i], options);
    } catch (const oracle::NotCovered&) {
      ++tally.not_covered;
      continue;
    } catch (const Error& error) {
      why_not = error.what();
    }
    if (!a && !b) {
      ++tally.both_refuse;
      ++tally.refusals[why_not];
      continue;
    }
    // The one case the library leaves alone: the reference repeats characters there.
    if (!a && why.find("stand for nothing") != std::string::npos) {
      ++tally.refused_by_name;
      continue;
    }
    ++tally.compared;
    if (a && b && a->ids == b->ids && a->spans == b->spans && a->pieces == b->pieces) continue;
    ++tally.differ;
    if (!tally.first.empty()) continue;
    tally.first = "\"" + report::escape_preview(texts[i], 200) + "\"\n  ours  ";
    tally.first += a ? show(a->ids) + show(a->spans) + "| " + show(a->pieces) : why;
    tally.first +=
        "\n  naive " + (b ? show(b->ids) + show(b->spans) + "| " + show(b->pieces) : why_not);
  }
  return tally;
}

// Both sides must say the same of a tokenizer, also whether they take it.
void check(const std::string& name, const TokenizerSpec& spec, std::uint32_t seed, Tally& all,
           std::map<std::string, int>& left_out) {
  Tally tally;
  try {
    tally = compare(spec, small_texts(60, seed));
  } catch (const Error& error) {
    ++left_out[error.what()];
    return;
  }
  CHECK_MESSAGE(tally.differ == 0, name << ": " << tally.differ << " of " << tally.compared
                                        << " texts differ, first " << tally.first);
  all += tally;
}

void print(const char* what, const Tally& all, const std::map<std::string, int>& left_out) {
  fmt::print("{}: {} compared, {} refused by both, {} refused by name, {} not covered, {} differ\n",
             what, all.compared, all.both_refuse, all.refused_by_name, all.not_covered, all.differ);
  for (const auto& [reason, n] : all.refusals) fmt::print("  refused: {} x {}\n", n, reason);
  for (const auto& [reason, n] : left_out) fmt::print("  left out: {} x {}\n", n, reason);
}

}  // namespace

TEST_CASE("every model behind every step agrees with the twin") {
  Tally all;
  std::map<std::string, int> left_out;
  std::uint32_t seed = 1;
  const auto steps = normalizers();
  for (const Chain& chain : chains()) {
    for (const Model& m : models()) {
      TokenizerSpec spec = m.spec;
      put_added(spec);
      spec.pre_tokenizers = chain.steps;
      spec.normalizers = steps[seed % steps.size()];
      check(fmt::format("{} / {} / normalizer {}", chain.name, m.name, seed % steps.size()), spec,
            seed, all, left_out);
      ++seed;
    }
  }
  print("small worlds", all, left_out);
  CHECK(all.compared > 10000);
}

TEST_CASE("rank files and model files agree with the twin") {
  Tally all;
  std::map<std::string, int> left_out;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    TokenizerSpec ranks = small_ranks();
    put_added(ranks);
    check("ranks", ranks, seed, all, left_out);
    for (const bool bpe : {false, true})
      for (const bool bytes : {false, true})
        check(fmt::format("sentencepiece, bpe {}, bytes {}", bpe, bytes),
              small_sentencepiece(bpe, bytes), seed, all, left_out);
  }
  print("rank and model files", all, left_out);
  CHECK(all.compared > 2000);
}

namespace {

template <class T>
T& of(TokenizerSpec& spec) {
  return std::get<T>(spec.model);
}

struct Planted {
  const char* name;
  TokenizerSpec spec;
  std::function<void(TokenizerSpec&)> fault;
};

TokenizerSpec with(TokenizerSpec spec, std::vector<model::PreTokenizer> steps,
                   std::vector<model::Normalizer> normalizers = {}) {
  spec.pre_tokenizers = std::move(steps);
  spec.normalizers = std::move(normalizers);
  put_added(spec);
  return spec;
}

std::vector<Planted> planted() {
  using namespace model;
  const TokenizerSpec plain = small_bpe(true, true, true, false);
  const TokenizerSpec bpe = with(plain, {});
  const TokenizerSpec lost = with(small_bpe(false, true, true, false), {});
  const auto step = [](PreTokenizer other) {
    return [other](TokenizerSpec& s) { s.pre_tokenizers = {other}; };
  };
  const auto token = [](std::size_t i, bool AddedToken::*flag) {
    return [i, flag](TokenizerSpec& s) { s.added_tokens[i].*flag = !(s.added_tokens[i].*flag); };
  };
  const auto lower_score = [](TokenizerSpec& s) { of<Unigram>(s).score[id_of(s, "ab")] -= 5; };
  return {
      {"a merge less", bpe,
       [](TokenizerSpec& s) { of<Bpe>(s).merges.erase(of<Bpe>(s).merges.begin() + 3); }},
      {"a repeated merge keeps its first rank", bpe,
       [](TokenizerSpec& s) { of<Bpe>(s).merges.pop_back(); }},
      {"unknowns not fused", lost, [](TokenizerSpec& s) { of<Bpe>(s).fuse_unk = false; }},
      {"no byte fallback", bpe, [](TokenizerSpec& s) { of<Bpe>(s).byte_fallback = false; }},
      {"whole piece first", bpe, [](TokenizerSpec& s) { of<Bpe>(s).ignore_merges = true; }},
      {"no suffix", with(small_affix_bpe(), {PreWhitespaceSplit{}}),
       [](TokenizerSpec& s) { of<Bpe>(s).end_of_word_suffix.clear(); }},
      {"a rank moved", with(small_ranks(), small_ranks().pre_tokenizers),
       [](TokenizerSpec& s) { std::swap(of<Bpe>(s).rank[259], of<Bpe>(s).rank[265]); }},
      {"lstrip ignored", bpe, token(2, &AddedToken::lstrip)},
      {"rstrip ignored", bpe, token(3, &AddedToken::rstrip)},
      {"single_word ignored", bpe, token(4, &AddedToken::single_word)},
      {"special forgotten", bpe, token(0, &AddedToken::special)},
      {"a token less", bpe,
       [](TokenizerSpec& s) { s.added_tokens.erase(s.added_tokens.begin() + 1); }},
      {"matched before normalizing", with(plain, {}, {NormLowercase{}}),
       token(6, &AddedToken::normalized)},
      {"a normalizer less", with(plain, {}, {NormNfkc{}}),
       [](TokenizerSpec& s) { s.normalizers.clear(); }},
      {"prefix blank", with(plain, {PreByteLevel{true, true}}), step(PreByteLevel{false, true})},
      {"digits joined", with(plain, {PreDigits{true}}), step(PreDigits{false})},
      {"delimiter removed", with(plain, {PreSplit{{true, "b"}, SplitBehavior::isolated, false}}),
       step(PreSplit{{true, "b"}, SplitBehavior::removed, false})},
      {"prepended everywhere",
       with(plain, {PreMetaspace{"\xE2\x96\x81", PrependScheme::first, true}}),
       step(PreMetaspace{"\xE2\x96\x81", PrependScheme::always, true})},
      {"scripts not cut", with(plain, {PreUnicodeScripts{}}), step(PreFixedLength{1000})},
      {"other white space", with(small_wordpiece(true), {PreBert{}}), step(PreWhitespaceSplit{})},
      {"longer words taken", with(small_wordpiece(true), {PreWhitespace{}}),
       [](TokenizerSpec& s) { of<WordPiece>(s).max_input_chars_per_word = 100; }},
      {"other unknown word", with(small_wordlevel(), {PreWhitespace{}}),
       [](TokenizerSpec& s) { of<WordLevel>(s).unk_token = "a"; }},
      {"a score lowered", with(small_unigram(false, true), {}), lower_score},
      {"unigram bytes ignored", with(small_unigram(true, true), {}),
       [](TokenizerSpec& s) { of<Unigram>(s).byte_fallback = false; }},
      {"unused piece used", small_sentencepiece(false, false),
       [](TokenizerSpec& s) { s.piece_types[id_of(s, "bc")] = PieceType::normal; }},
      {"user-defined piece merged", small_sentencepiece(true, true),
       [](TokenizerSpec& s) { s.piece_types[id_of(s, "caa")] = PieceType::normal; }},
      {"sentencepiece score", small_sentencepiece(true, false),
       [](TokenizerSpec& s) { of<Bpe>(s).score[id_of(s, "aab")] = -100; }},
      {"sentencepiece bytes ignored", small_sentencepiece(false, true),
       [](TokenizerSpec& s) { of<Unigram>(s).byte_fallback = false; }},
  };
}

}  // namespace

TEST_CASE("a fault planted in any stage shows") {
  for (const Planted& p : planted()) {
    std::vector<std::string> texts = small_texts(400, 99);
    const std::vector<std::string> dense = dense_texts(400, 98);
    texts.insert(texts.end(), dense.begin(), dense.end());
    CHECK_MESSAGE(compare(p.spec, texts).differ == 0, std::string(p.name) << ", without the fault");
    const Tally tally = compare(p.spec, texts, p.fault);
    fmt::print("planted: {}: {} of {} texts differ\n", p.name, tally.differ, tally.compared);
    CHECK_MESSAGE(tally.differ > 0, std::string(p.name));
  }
}
