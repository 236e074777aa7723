#include "diff/campaign.hpp"
#include "diff/check_table.hpp"
#include "diff/cpu_engine.hpp"
#include "diff/sources/generators.hpp"
#include "encode/testing/regressions.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <set>

using namespace toktier;
using namespace toktier::diff;

namespace {

std::vector<const CheckRow*> all_ways() {
  std::vector<const CheckRow*> rows;
  for (const CheckRow& row : check_table())
    if (row.make != nullptr) rows.push_back(&row);
  return rows;
}

struct Outcome {
  Verdict verdict;
  std::vector<Divergence> divergences;
};

Outcome run(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> texts,
            std::uint32_t parts, std::optional<Fault> fault = {}, AnswerOptions options = {},
            unsigned lanes = 1) {
  Outcome outcome;
  CampaignPlan plan;
  plan.parts = parts;
  plan.tokenizer = tokenizer;
  plan.options = options;
  plan.seed = 7;
  plan.rounds = 4;
  plan.lanes = lanes;
  plan.block_documents = 5;
  plan.ours = [&]() -> std::unique_ptr<Engine> {
    auto engine = make_cpu_engine(tokenizer);
    return fault ? make_faulty_engine(std::move(engine), *fault) : std::move(engine);
  };
  plan.on_divergence = [&](const Divergence& found) { outcome.divergences.push_back(found); };
  std::vector<Document> documents;
  for (std::string& text : texts) {
    documents.emplace_back();
    documents.back().id = std::to_string(documents.size());
    documents.back().text = std::move(text);
  }
  auto source = from_list(std::move(documents));
  outcome.verdict = run_campaign(plan, *source);
  return outcome;
}

std::shared_ptr<const Tokenizer> embedded() {
  static const auto tokenizer = std::make_shared<const Tokenizer>(Tokenizer::load("embedded"));
  return tokenizer;
}

const std::vector<std::string> kTexts = {
    "The quick brown fox 12345 jumps.\n\n  It didn't <|endoftext|> mind",
    "\xE4\xB8\xAD\xE6\x96\x87\xE3\x80\x82 caf\xC3\xA9 \xF0\x9F\x98\x80\xF0\x9F\x98\x80 <|endof "
    "text",
    "a",
    "ab",
    "'s 1",
    ""};

}  // namespace

TEST_CASE("every way leads to the ids of the plain call") {
  for (const CheckRow* row : all_ways()) {
    CAPTURE(row->name);
    const Outcome outcome = run(embedded(), kTexts, row->part);
    CHECK(outcome.verdict.difference_count() == 0);
    CHECK(outcome.verdict.checked.at(std::string(row->name)) >= 4);
    CHECK(outcome.verdict.ids > 0);
  }
}

TEST_CASE("a wrong id is seen by every way, and the text made small") {
  for (const CheckRow* row : all_ways()) {
    if (row->name == "count" || row->name == "parts" || row->name == "split" ||
        row->name == "stream-decode")
      continue;  // they look at counts, at other plain calls, at bytes
    CAPTURE(row->name);
    const Outcome outcome =
        run(embedded(), {"The quick brown fox jumps over it", "none here"}, row->part, Fault::id);
    CHECK(outcome.verdict.different_documents == 1);
    REQUIRE(outcome.divergences.size() == 1);
    CHECK(outcome.divergences[0].difference.check == row->name);
    CHECK(outcome.divergences[0].minimal == "q");
    CHECK(outcome.divergences[0].window.ours != outcome.divergences[0].window.theirs);
  }
}

TEST_CASE("what cannot be gone is counted by reason") {
  AnswerOptions truncate;
  truncate.truncate = true;
  const Outcome outcome =
      run(embedded(), {"a b", "c d"}, parse_checks("append,edit,count"), {}, truncate);
  CHECK(outcome.verdict.checked.count("append") == 0);
  CHECK(outcome.verdict.skipped.at("append: sessions do not truncate") == 2);
  CHECK(outcome.verdict.skipped.at("edit: sessions do not truncate") == 2);
  CHECK(outcome.verdict.checked.at("count") > 0);
}

TEST_CASE("the same ways are gone by any number of lanes") {
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) texts.push_back(kTexts[0] + std::to_string(i) + kTexts[1]);
  const std::uint32_t parts = parse_checks("append,edit,parts,count,stream-decode");
  const Outcome one = run(embedded(), texts, parts),
                three = run(embedded(), texts, parts, {}, {}, 3);
  CHECK(one.verdict.checked == three.verdict.checked);
  CHECK(one.verdict.checks() > 1000);
}

TEST_CASE("every fault found so far, on every way") {
  std::uint64_t comparisons = 0;
  const auto files = toktier::testing::regression_files();
  for (const auto& file : files) {
    toktier::testing::Regression r = toktier::testing::read_regression(file);
    CAPTURE(r.name);
    AnswerOptions options;
    options.special = r.options.special;
    options.add_special = r.options.add_special;
    const std::string text = r.text;
    const auto tokenizer = std::make_shared<const Tokenizer>(std::move(r.tokenizer));
    const Outcome outcome = run(tokenizer, {text, text + text, "a" + text},
                                parse_checks("all") & ~(kFirstWay - 1), {}, options);
    CHECK(outcome.verdict.difference_count() == 0);
    for (const Divergence& found : outcome.divergences)
      MESSAGE(found.cls << " \"" << found.minimal << "\": " << found.window.ours << " / "
                        << found.window.theirs);
    comparisons += outcome.verdict.checks();
  }
  fmt::print("{} regressions, {} comparisons\n", files.size(), comparisons);
  CHECK(comparisons > 1000);
}
