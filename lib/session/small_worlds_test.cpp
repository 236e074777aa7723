// Documents of small tokenizers - every model behind every pre-tokenizer step, normalizers that
// move text, added tokens with every flag - under random changes: after every step the ids of a
// cold run.

#include "model/testing/small_worlds.hpp"

#include "session/testing/checked_document.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

namespace {

using namespace toktier;
using namespace toktier::model::testing;
using session::testing::Bench;
using session::testing::Tally;

// Documents of some hundred bytes with a seam wherever there is one: nearly all of a document is in
// parts.
constexpr session::Grain kFine{1, 48};

std::vector<std::string> chunks() {
  std::vector<std::string> out = small_texts(150, 3);
  for (const std::string& text : dense_texts(60, 4)) out.push_back(text);
  for (const char* text : {"abc cab ", "a b c ", " ab", "bc ", "12 ", "!", "ab1 ", "\n"})
    for (int i = 0; i < 12; ++i) out.emplace_back(text);
  return out;
}

struct Row {
  Tally tally;
  std::string refusal;
};

Row check(const std::string& name, const model::TokenizerSpec& spec, std::uint32_t seed,
          std::size_t steps, std::map<std::string, int>& left_out) {
  Row row;
  try {
    const auto pipeline = encode::Pipeline::compile(spec);
    row.refusal = pipeline->seams().refusal();
    std::mt19937 random(seed);
    Bench bench(*pipeline, seed % 3 == 2 ? SpecialMode::none : SpecialMode::file_default);
    random_walk(bench, kFine, chunks(), steps, 1500, random);
    row.tally = bench.tally;
  } catch (const Error& error) {
    ++left_out[error.what()];
    return row;
  }
  CHECK_MESSAGE(row.tally.differ == 0, name << ": " << row.tally.differ << " of " << row.tally.steps
                                            << " steps differ, first " << row.tally.first);
  return row;
}

void print(const char* what, const Tally& all) {
  fmt::print(
      "{}: {} steps, {} refused by both, {} differ; {:.1f} % of the bytes encoded, {} parts\n",
      what, all.steps, all.refused, all.differ, 100 * all.share(), all.parts);
}

}  // namespace

TEST_CASE("every model behind every step keeps the ids of a cold run") {
  Tally with_seams, without;
  std::map<std::string, int> left_out, refusals;
  std::uint32_t seed = 1;
  const auto steps = normalizers();
  for (const Chain& chain : chains()) {
    for (const Model& m : models()) {
      for (const bool added : {false, true}) {
        model::TokenizerSpec spec = m.spec;
        if (added) put_added(spec);
        spec.pre_tokenizers = chain.steps;
        spec.normalizers = steps[seed % steps.size()];
        const Row row = check(fmt::format("{} / {} / normalizer {} / added {}", chain.name, m.name,
                                          seed % steps.size(), added),
                              spec, seed, 60, left_out);
        if (row.refusal.empty())
          with_seams += row.tally;
        else
          without += row.tally;
        if (!row.refusal.empty()) ++refusals[row.refusal];
        ++seed;
      }
    }
  }
  print("small worlds with seams", with_seams);
  print("small worlds without", without);
  for (const auto& [why, n] : refusals) fmt::print("  no seams: {} x {}\n", n, why);
  for (const auto& [why, n] : left_out) fmt::print("  left out: {} x {}\n", n, why);
  CHECK(with_seams.steps > 20000);
  CHECK(with_seams.share() < 0.75);
}

namespace {

// Every token's score the sum of its characters': all ways to write a text are equal but for
// rounding, which depends on the sum so far.
void all_ways_equal(model::TokenizerSpec& spec) {
  auto& unigram = std::get<model::Unigram>(spec.model);
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id) {
    double sum = 0;
    for (const char c : spec.vocab[id]) sum -= 0.1 * (1 + static_cast<unsigned char>(c) % 7);
    unigram.score[id] = sum;
  }
}

}  // namespace

TEST_CASE("a Unigram model's score is carried over seams and compared behind edits") {
  std::map<std::string, int> left_out;
  Tally all;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    for (const bool bytes : {false, true}) {
      model::TokenizerSpec file = small_sentencepiece(false, bytes);
      all_ways_equal(file);
      all += check(fmt::format("model file, bytes {}", bytes), file, seed, 300, left_out).tally;
      model::TokenizerSpec json = small_unigram(bytes, true);
      all_ways_equal(json);
      all += check(fmt::format("unigram, bytes {}", bytes), json, seed, 300, left_out).tally;
    }
  }
  print("scores that round", all);
  CHECK(all.share() < 0.9);
}

TEST_CASE("rank files and model files keep the ids of a cold run") {
  Tally ranks_tally, models_tally;
  std::map<std::string, int> left_out;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    model::TokenizerSpec ranks = small_ranks();
    if (seed % 2 == 0) put_added(ranks);
    ranks_tally += check("ranks", ranks, seed, 300, left_out).tally;
    for (const bool bpe : {false, true})
      for (const bool bytes : {false, true})
        models_tally += check(fmt::format("sentencepiece, bpe {}, bytes {}", bpe, bytes),
                              small_sentencepiece(bpe, bytes), seed, 300, left_out)
                            .tally;
  }
  print("rank files", ranks_tally);
  print("model files", models_tally);
  CHECK(ranks_tally.share() < 0.6);
  CHECK(models_tally.share() < 0.6);
}
