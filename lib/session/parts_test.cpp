// Rows of parts under random changes, for small tokenizers of every kind and for the shared files:
// after every step what a cold run over the parts gives.

#include "model/testing/small_worlds.hpp"
#include "session/testing/checked_row.hpp"
#include "session/testing/shared_files.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

namespace {

using namespace toktier;
using namespace toktier::model::testing;
using session::Grain;
using session::Row;
using session::testing::RowTally;
using session::testing::walk_rows;

constexpr Grain kFine{1, 48};

// What the words of added tokens are made of stands in untrusted text too.
std::vector<std::string> small_chunks() {
  std::vector<std::string> out = small_texts(120, 5);
  for (const std::string& text : dense_texts(60, 6)) out.push_back(text);
  for (const char* text : {"abc cab ", "a b c ", " ab", "bc ", "12 ", "!", "ab1 ", "\n"})
    for (int i = 0; i < 12; ++i) out.emplace_back(text);
  return out;
}

void print(const char* what, const RowTally& t) {
  fmt::print(
      "{}: {} steps, {} refused by both, {} places inside given ids, {} ids given, {} differ\n",
      what, t.steps, t.refused, t.inside, t.sampled, t.differ);
}

void check(const std::string& name, const model::TokenizerSpec& spec, std::uint32_t seed,
           std::size_t steps, RowTally& all, std::map<std::string, int>& left_out) {
  RowTally tally;
  try {
    const auto pipeline = encode::Pipeline::compile(spec);
    std::mt19937 random(seed);
    const Row::Rules rules{seed % 4 < 2, seed % 3 != 0};
    const bool model_file = spec.kind == model::FileKind::sentencepiece;
    walk_rows(*pipeline, rules, model_file ? SpecialMode::none : SpecialMode::all, kFine,
              small_chunks(), steps, 1200, random, tally);
  } catch (const Error& error) {
    ++left_out[error.what()];
    return;
  }
  CHECK_MESSAGE(tally.differ == 0, name << ": " << tally.differ << " of " << tally.steps
                                        << " steps differ, first " << tally.first);
  all.steps += tally.steps;
  all.refused += tally.refused;
  all.differ += tally.differ;
  all.sampled += tally.sampled;
  all.inside += tally.inside;
}

}  // namespace

TEST_CASE("rows of parts of every small tokenizer follow a cold run") {
  RowTally all;
  std::map<std::string, int> left_out;
  std::uint32_t seed = 1;
  const auto steps = normalizers();
  for (const Chain& chain : chains()) {
    for (const Model& m : models()) {
      for (const bool added : {false, true}) {
        model::TokenizerSpec spec = m.spec;
        if (added) put_added(spec);
        spec.pre_tokenizers = chain.steps;
        spec.normalizers = steps[seed % steps.size()];
        check(fmt::format("{} / {} / normalizer {} / added {}", chain.name, m.name,
                          seed % steps.size(), added),
              spec, seed, 60, all, left_out);
        ++seed;
      }
    }
  }
  print("rows of small worlds", all);
  for (const auto& [why, n] : left_out) fmt::print("  left out: {} x {}\n", n, why);
  CHECK(all.steps > 20000);
  CHECK(all.sampled > 10000);
}

TEST_CASE("rows of parts of rank and model files follow a cold run") {
  RowTally all;
  std::map<std::string, int> left_out;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    model::TokenizerSpec ranks = small_ranks();
    if (seed % 2 == 0) put_added(ranks);
    check("ranks", ranks, seed, 300, all, left_out);
    for (const bool bpe : {false, true})
      for (const bool bytes : {false, true})
        check(fmt::format("sentencepiece, bpe {}, bytes {}", bpe, bytes),
              small_sentencepiece(bpe, bytes), seed, 300, all, left_out);
  }
  print("rows of rank and model files", all);
  CHECK(left_out.empty());
}

TEST_CASE("rows of parts of every shared file follow a cold run") {
  const char* chosen = std::getenv("TOKTIER_SESSION_FILE");
  const char* given = std::getenv("TOKTIER_SESSION_STEPS");
  const std::size_t steps = given != nullptr ? std::strtoull(given, nullptr, 10) : 60;
  RowTally all;
  std::size_t run = 0, skipped = 0;
  for (const std::string& name : session::testing::distinct_files()) {
    if (chosen != nullptr && name.find(chosen) == std::string::npos) continue;
    std::unique_ptr<encode::Pipeline> pipeline;
    try {
      pipeline = encode::Pipeline::compile(
          model::load((session::testing::shared_folder() / "tokenizers" / name).string()));
    } catch (const Error&) {
      ++skipped;
      continue;
    }
    std::vector<std::string> chunks = {" the",
                                       "word",
                                       "ing ",
                                       ". ",
                                       "\n",
                                       "  ",
                                       "1",
                                       "23",
                                       "'s",
                                       "!",
                                       "<",
                                       "<|",
                                       "|>",
                                       "\xC3\xA9",
                                       "e\xCC\x81",
                                       "\xE4\xBD\xA0\xE5\xA5\xBD",
                                       " of plain text, and more of it "};
    const auto& entries = pipeline->added().table().entries();
    for (std::size_t i = 0; i < entries.size() && i < 40; ++i) {
      const std::string& content = entries[entries.size() - 1 - i].content;
      chunks.push_back(content);
      chunks.push_back(content.substr(0, session::testing::border(content, content.size() / 2)));
    }
    ++run;
    RowTally tally;
    for (const std::uint32_t seed : {1U, 2U, 3U, 4U}) {
      std::mt19937 random(seed);
      const bool model_file = pipeline->spec().kind == model::FileKind::sentencepiece;
      walk_rows(*pipeline, {seed % 2 == 0, seed < 4},
                model_file ? SpecialMode::none : SpecialMode::all,
                seed < 3 ? Grain{1, 64} : Grain{64, 1024}, chunks, steps, 4000, random, tally);
    }
    CHECK_MESSAGE(tally.differ == 0, name << ": " << tally.first);
    all.steps += tally.steps;
    all.differ += tally.differ;
    all.refused += tally.refused;
    all.sampled += tally.sampled;
    all.inside += tally.inside;
  }
  fmt::print("{} files, {} skipped (not loaded)\n", run, skipped);
  print("rows of shared files", all);
  if (run == 0) MESSAGE("skipped: no shared files");
  if (run > 0 && chosen == nullptr) CHECK(run > 40);
}
