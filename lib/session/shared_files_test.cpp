// Documents of every shared tokenizer file under random changes, made of what is hard for it.
// Skipped visibly where the files are absent.

#include "session/testing/shared_files.hpp"

#include "session/testing/checked_document.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

namespace {

using namespace toktier;
using session::testing::Bench;
using session::testing::distinct_files;
using session::testing::shared_folder;
using session::testing::Tally;

std::vector<std::string> chunks(const encode::Pipeline& pipeline) {
  std::vector<std::string> out;
  const char* const common[] = {
      " the",
      " of",
      "word",
      " Word",
      "ing ",
      ". ",
      ",",
      "\n",
      "\n\n",
      "  ",
      "    ",
      "1",
      "23",
      "4567",
      " 8",
      "'s",
      "'ll",
      "'",
      "!",
      "?!",
      "--",
      "==",
      "(",
      ") ",
      "\t",
      "\r\n",
      "a",
      "b ",
      "Z",
      " {\n",
      "};",
      "<",
      "<|",
      "|>",
      "[",
      "]",
      "\xC3\xA9",                                      // e with acute
      "e\xCC\x81",                                     // the same in two
      "\xCC\x88",                                      // a mark alone
      "\xE4\xBD\xA0\xE5\xA5\xBD",                      // Han
      "\xE3\x80\x82",                                  // ideographic full stop
      "\xE3\x82\xAB\xE3\x82\x99",                      // katakana with a combining voice mark
      "\xE1\x84\x80\xE1\x85\xA1",                      // Hangul in parts
      "\xEA\xB0\x80",                                  // and whole
      "\xF0\x9F\x98\x80",                              // emoji
      "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",  // joined emoji
      "\xC2\xA0",                                      // no-break blank
      "\xE3\x80\x80",                                  // ideographic blank
      "\xE2\x96\x81",                                  // the word mark
      "\xEF\xAC\x81",                                  // a ligature
      "\xC2\xBD",                                      // a fraction
      "\xD0\x9F\xD1\x80",                              // Cyrillic
      "\xE0\xA4\xA8\xE0\xA4\xBF",                      // Devanagari
      "\xE2\x80\x8B",                                  // a blank of no width
      "``",
      "''",
      "\xC4\xB0",
  };
  for (const char* text : common)
    for (int i = 0; i < (static_cast<unsigned char>(text[0]) < 0x80 ? 6 : 1); ++i)
      out.emplace_back(text);
  for (int i = 0; i < 60; ++i) out.emplace_back(" words and text");
  // Added tokens, whole and in halves.
  const auto& entries = pipeline.added().table().entries();
  for (std::size_t i = 0; i < entries.size(); i += 1 + entries.size() / 12) {
    const std::string& content = entries[i].content;
    out.push_back(content);
    std::size_t half = content.size() / 2;
    while (half > 0 && (static_cast<unsigned char>(content[half]) & 0xC0) == 0x80) --half;
    out.push_back(content.substr(0, half));
    out.push_back(content.substr(half));
  }
  for (const char32_t c : pipeline.pre_tokenizer().alphabet(1)) {
    out.emplace_back();
    unicode::append_utf8(out.back(), c);
  }
  std::erase(out, std::string());
  return out;
}

}  // namespace

TEST_CASE("documents of every shared file keep the ids of a cold run") {
  const std::vector<std::string> names = distinct_files();
  if (names.empty()) {
    MESSAGE("skipped: all (no shared files at " << shared_folder().string() << ")");
    return;
  }
  const char* chosen = std::getenv("TOKTIER_SESSION_FILE");
  const char* longer = std::getenv("TOKTIER_SESSION_STEPS");
  const std::size_t steps = longer != nullptr ? std::strtoull(longer, nullptr, 10) : 120;
  Tally all;
  std::size_t run = 0, skipped = 0, whole = 0;
  for (const std::string& name : names) {
    if (chosen != nullptr && name.find(chosen) == std::string::npos) continue;
    std::unique_ptr<encode::Pipeline> pipeline;
    try {
      pipeline =
          encode::Pipeline::compile(model::load((shared_folder() / "tokenizers" / name).string()));
    } catch (const Error& error) {
      ++skipped;
      continue;
    }
    ++run;
    Tally tally;
    const std::vector<std::string> list = chunks(*pipeline);
    for (const session::Grain grain : {session::Grain{1, 64}, session::Grain{64, 1024}}) {
      for (const SpecialMode mode : {SpecialMode::file_default, SpecialMode::none}) {
        std::mt19937 random(static_cast<std::uint32_t>(steps) + (mode == SpecialMode::none));
        Bench bench(*pipeline, mode);
        random_walk(bench, grain, list, steps / 2, 4000, random);
        tally += bench.tally;
      }
    }
    const std::string refusal = pipeline->seams().refusal();
    whole += refusal.empty() ? 0 : 1;
    fmt::print("{:48} {:5} steps, {} differ, {:5.1f} % encoded, {:6} parts; {}\n", name,
               tally.steps, tally.differ, 100 * tally.share(), tally.parts,
               refusal.empty() ? fmt::format("proofs look {} before, {} behind",
                                             pipeline->seams().before(), pipeline->seams().behind())
                               : refusal);
    CHECK_MESSAGE(tally.differ == 0, name << ": " << tally.first);
    all += tally;
  }
  fmt::print(
      "shared files: {} run, {} skipped (not loaded), {} without seams; {} steps, {} refused by "
      "both, "
      "{} differ, {:.1f} % of the bytes encoded\n",
      run, skipped, whole, all.steps, all.refused, all.differ, 100 * all.share());
  if (chosen == nullptr) CHECK(run > 40);
}
