// The library against its slow twin, over every tokenizer file of the shared data and texts that
// tokenizers tend to get wrong: ids, spans and pieces, in every mode of control tokens.
//
// NAIVE_TWIN_ONLY=part of a path, NAIVE_TWIN_COUNT=random texts per file narrow or widen a run.

#include "diff/compare.hpp"
#include "diff/cpu_engine.hpp"
#include "diff/naive_engine.hpp"
#include "diff/testing/nasty_texts.hpp"
#include "report/escape.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

namespace {

using namespace toktier;
namespace fs = std::filesystem;

fs::path source_folder() {
  const char* source = std::getenv("TOKTIER_SOURCE_DIR");
  return source != nullptr ? source : ".";
}

fs::path shared_folder() {
  const char* shared = std::getenv("TOKTIER_SHARED");
  return shared != nullptr ? fs::path(shared) : source_folder() / ".." / "shared";
}

bool looks_like_model(const std::string& name) {
  if (name.find("encoding.json") != std::string::npos) return false;
  for (const char* part :
       {"tokenizer", ".model", ".tiktoken", ".json", ".spm", ".sp.", "vocab.txt"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

std::vector<std::string> model_files() {
  std::vector<std::string> files;
  std::error_code code;
  const char* only = std::getenv("NAIVE_TWIN_ONLY");
  for (const auto& entry : fs::recursive_directory_iterator(shared_folder() / "tokenizers", code)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || !looks_like_model(entry.path().filename().string())) continue;
    if (only == nullptr || path.find(only) != std::string::npos) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Tally {
  std::uint64_t texts = 0, compared = 0, both_refuse = 0, not_covered = 0, differ = 0;
  std::map<std::string, std::uint64_t> refusals;  // what the twin says where both refuse
};

void report(const std::string& file, SpecialMode mode, std::string_view text,
            const diff::Difference& difference, const diff::Answer& a, const diff::Answer& b) {
  const diff::Window window = diff::show_window(text, difference, a, b);
  fmt::print("  {} mode {} {}: text \"{}\"\n    ours  {}\n    naive {}\n", file,
             static_cast<int>(mode), difference.cls(), report::escape_preview(text, 300),
             window.ours, window.theirs);
}

/// `modes`: how many of the three modes the file's reference has.
Tally compare(const std::string& file, diff::Engine& cpu, diff::Engine& naive,
              const std::vector<std::string>& texts, std::size_t modes) {
  constexpr std::array kModes = {SpecialMode::file_default, SpecialMode::none, SpecialMode::all};
  Tally tally;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    diff::Question question;
    question.options.special = kModes[i % modes];
    question.parts = diff::kIds | diff::kSpans | diff::kPieces;
    const diff::Answer a = diff::answer_one(cpu, texts[i], question);
    const diff::Answer b = diff::answer_one(naive, texts[i], question);
    ++tally.texts;
    if (b.status == diff::AnswerStatus::not_covered) {
      ++tally.not_covered;
      continue;
    }
    if (a.status != diff::AnswerStatus::ok && b.status != diff::AnswerStatus::ok) {
      ++tally.both_refuse;
      ++tally.refusals[b.error];
      continue;
    }
    ++tally.compared;
    bool differs = false;
    for (const std::uint32_t part : {diff::kIds, diff::kSpans, diff::kPieces}) {
      const auto difference = diff::first_difference(part, a, b);
      if (!difference) continue;
      if (!differs && tally.differ < 3)
        report(file, question.options.special, texts[i], *difference, a, b);
      differs = true;
    }
    tally.differ += differs;
  }
  return tally;
}

}  // namespace

TEST_CASE("the library and its slow twin agree on every shared tokenizer") {
  const std::vector<std::string> files = model_files();
  if (files.empty()) {
    MESSAGE("skipped: 1 (no shared tokenizers)");
    return;
  }
  const char* wanted = std::getenv("NAIVE_TWIN_COUNT");
  const std::size_t count = wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 300;
  const std::vector<std::string> stretches =
      diff::testing::curated_stretches(source_folder() / "corpora" / "curated", 2000);
  CHECK(stretches.size() > 100);
  Tally all;
  std::map<std::string, std::size_t> left_out;
  std::size_t ran = 0;
  for (const std::string& file : files) {
    std::unique_ptr<diff::Engine> cpu, naive;
    std::vector<std::string> texts = stretches;
    std::size_t modes = 3;
    try {
      const model::TokenizerSpec spec = model::load(file);
      if (spec.reference == model::Reference::sentencepiece) modes = 2;
      naive = diff::make_naive_engine(spec);
      cpu = diff::make_cpu_engine(std::make_shared<Tokenizer>(Tokenizer::load(file)));
      const std::vector<std::string> mixes =
          diff::testing::nasty_mixes(spec, count, static_cast<std::uint32_t>(ran + 1));
      texts.insert(texts.end(), mixes.begin(), mixes.end());
    } catch (const Error& error) {
      ++left_out[error.what()];
      continue;
    }
    const Tally t = compare(file, *cpu, *naive, texts, modes);
    ++ran;
    fmt::print("{}: {} texts, {} compared, {} refused by both, {} not covered, {} differ\n",
               fs::path(file).lexically_relative(shared_folder()).string(), t.texts, t.compared,
               t.both_refuse, t.not_covered, t.differ);
    std::fflush(stdout);
    CHECK_MESSAGE(t.differ == 0, file);
    CHECK(t.compared > 0);
    all.texts += t.texts;
    all.compared += t.compared;
    all.both_refuse += t.both_refuse;
    all.not_covered += t.not_covered;
    all.differ += t.differ;
    for (const auto& [reason, n] : t.refusals) all.refusals[reason] += n;
  }
  fmt::print(
      "all: {} files, {} texts, {} compared, {} refused by both, {} not covered, {} differ\n", ran,
      all.texts, all.compared, all.both_refuse, all.not_covered, all.differ);
  for (const auto& [reason, n] : all.refusals) fmt::print("refused by both: {} x {}\n", n, reason);
  for (const auto& [reason, n] : left_out) fmt::print("left out: {} file: {}\n", n, reason);
  CHECK(ran > 0);
}
