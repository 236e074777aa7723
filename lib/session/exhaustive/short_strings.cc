// Every string of up to six symbols as a document, through append, fork and edit at every split;
// see testing/short_strings.hpp. One tokenizer of each distinct pattern (or added tokens,
// normalizer and model: TOKTIER_EXHAUSTIVE_ALL=1) of the embedded one and the shared files.
//
//   TOKTIER_EXHAUSTIVE_LENGTH    longest strings (6)
//   TOKTIER_EXHAUSTIVE_BUDGET    most splits a tokenizer; its strings become shorter to fit
//   (300000) TOKTIER_EXHAUSTIVE_FILE      only files whose path holds this
//   TOKTIER_EXHAUSTIVE_THREADS   (1)

#include "session/testing/short_strings.hpp"

#include "model/embedded.hpp"
#include "model/spec.hpp"
#include "session/testing/exhaustive.hpp"
#include "session/testing/shared_files.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

namespace {

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// One character of each class that the patterns tell apart; for models without a pattern what
/// their other stages look at.
std::vector<std::string> symbols_of(const toktier::encode::Pipeline& pipeline) {
  std::vector<std::string> out;
  for (const char32_t c : pipeline.pre_tokenizer().alphabet(1)) {
    if (c == 0) continue;
    out.emplace_back();
    toktier::unicode::append_utf8(out.back(), c);
  }
  return out.size() >= 6 ? out : toktier::session::testing::alphabet_of(pipeline);
}

/// Equal for tokenizers whose strings part into the same classes and go the same way.
std::string sort_of(const toktier::encode::Pipeline& pipeline) {
  const toktier::model::TokenizerSpec& spec = pipeline.spec();
  std::string out = fmt::format("{} {} ", static_cast<int>(spec.kind), spec.model.index());
  for (const auto& normalizer : spec.normalizers) out += fmt::format("{} ", normalizer.index());
  return out + pipeline.pre_tokenizer().describe();
}

}  // namespace

TEST_CASE("every short string is a document, changed at every split") {
  using namespace toktier;
  using namespace toktier::session::testing;
  const std::size_t longest = number("TOKTIER_EXHAUSTIVE_LENGTH", 6);
  const std::uint64_t budget = number("TOKTIER_EXHAUSTIVE_BUDGET", 300'000);
  const unsigned threads = static_cast<unsigned>(number("TOKTIER_EXHAUSTIVE_THREADS", 1));
  const char* given = std::getenv("TOKTIER_EXHAUSTIVE_EACH");
  const std::string each = given == nullptr ? "sort" : given;
  const char* chosen = std::getenv("TOKTIER_EXHAUSTIVE_FILE");
  std::vector<std::string> names = distinct_files();
  if (names.empty())
    MESSAGE("skipped: all shared files (none at " << shared_folder().string() << ")");
  names.insert(names.begin(), "embedded");
  std::set<std::string> sorts;
  ShortCounts all;
  std::size_t run = 0, refused = 0, same_sort = 0, shorter = 0;
  fmt::print(
      "| tokenizer | symbols | length | strings | splits | changes | refused | differ | s |\n"
      "| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n");
  for (const std::string& name : names) {
    if (chosen != nullptr && name.find(chosen) == std::string::npos) continue;
    std::unique_ptr<encode::Pipeline> pipeline;
    try {
      pipeline = encode::Pipeline::compile(
          name == "embedded" ? model::load_bytes(model::embedded_gpt2(), "embedded")
                             : model::load((shared_folder() / "tokenizers" / name).string()));
    } catch (const Error&) {
      ++refused;
      continue;
    }
    const std::string sort = each == "file"      ? name
                             : each == "pattern" ? pipeline->pre_tokenizer().describe()
                                                 : sort_of(*pipeline);
    if (!sorts.insert(sort).second) {
      ++same_sort;
      continue;
    }
    const std::vector<std::string> symbols = symbols_of(*pipeline);
    std::size_t length = longest;
    while (length > 1 && splits_of(symbols.size(), length) > budget) --length;
    shorter += length < longest;
    const auto start = std::chrono::steady_clock::now();
    std::atomic<std::size_t> next = 0;
    std::vector<ShortCounts> parts(symbols.size());
    const auto work = [&] {
      ShortStrings strings(*pipeline, symbols);
      for (std::size_t i = next++; i < symbols.size(); i = next++)
        parts[i] = strings.run(i, length);
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    ShortCounts counts;
    for (const ShortCounts& part : parts) counts += part;
    ++run;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {:.1f} |\n", name, symbols.size(), length,
               counts.strings, counts.splits, counts.changes, counts.refused, counts.differ,
               took.count());
    std::fflush(stdout);
    CHECK_MESSAGE(counts.differ == 0, name << ": " << counts.first);
    CHECK(counts.splits == splits_of(symbols.size(), length));
    all += counts;
  }
  fmt::print(
      "{} tokenizers ({} files refused, {} like another one by {}, {} not up to {} "
      "symbols), {} strings, {} splits, {} changes, {} strings refused, {} differ\n",
      run, refused, same_sort, each, shorter, longest, all.strings, all.splits, all.changes,
      all.refused, all.differ);
  CHECK(all.changes > 0);
}
