// Every string of up to TOKTIER_EXHAUSTIVE_LENGTH symbols (3) through every change at every split,
// for the embedded tokenizer and every shared file, or those whose path holds
// TOKTIER_EXHAUSTIVE_FILE; see testing/exhaustive.hpp. Counts are printed.

#include "model/embedded.hpp"
#include "model/spec.hpp"
#include "session/testing/exhaustive.hpp"
#include "session/testing/shared_files.hpp"

#include <doctest/doctest.h>

TEST_CASE("every short string at every split through append, edit and fork") {
  using namespace toktier;
  using namespace toktier::session::testing;
  const char* length = std::getenv("TOKTIER_EXHAUSTIVE_LENGTH");
  const char* chosen = std::getenv("TOKTIER_EXHAUSTIVE_FILE");
  const std::size_t longest = length != nullptr ? std::strtoull(length, nullptr, 10) : 3;
  std::vector<std::string> names = distinct_files();
  if (names.empty())
    MESSAGE("skipped: all shared files (none at " << shared_folder().string() << ")");
  names.insert(names.begin(), "embedded");
  Counts all;
  std::size_t run = 0, skipped = 0;
  for (const std::string& name : names) {
    if (chosen != nullptr && name.find(chosen) == std::string::npos) continue;
    std::unique_ptr<encode::Pipeline> pipeline;
    try {
      pipeline = encode::Pipeline::compile(
          name == "embedded" ? model::load_bytes(model::embedded_gpt2(), "embedded")
                             : model::load((shared_folder() / "tokenizers" / name).string()));
    } catch (const Error&) {
      ++skipped;
      continue;
    }
    const std::vector<std::string> alphabet = alphabet_of(*pipeline);
    const Counts counts = Exhaustive(*pipeline, alphabet).run(longest);
    if (counts.changes == 0) {
      ++skipped;  // refuses plain words
      continue;
    }
    ++run;
    fmt::print(
        "{:48} {:2} symbols, {} strings, {} changes, {} refused by both, {} differ, {:.1f} % "
        "encoded\n",
        name, alphabet.size(), counts.strings, counts.changes, counts.refused, counts.differ,
        100 * static_cast<double>(counts.bytes) / static_cast<double>(counts.cold_bytes));
    std::fflush(stdout);
    CHECK_MESSAGE(counts.differ == 0, name << ": " << counts.first);
    all.strings += counts.strings;
    all.changes += counts.changes;
    all.differ += counts.differ;
    all.refused += counts.refused;
  }
  fmt::print(
      "all strings of up to {} symbols: {} tokenizers, {} skipped (not loaded, or plain words "
      "refused), {} strings, {} "
      "changes, {} refused by both, {} differ\n",
      longest, run, skipped, all.strings, all.changes, all.refused, all.differ);
  CHECK(all.changes > 0);
}
