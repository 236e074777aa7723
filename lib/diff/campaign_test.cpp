#include "diff/campaign.hpp"

#include "diff/cpu_engine.hpp"
#include "diff/testing/byte_engine.hpp"
#include "io/read_all.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

using namespace toktier::diff;
using toktier::diff::testing::ByteEngine;

namespace {

std::vector<Document> documents(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Document> all;
  for (std::size_t i = 0; i < count; ++i) {
    Document document;
    document.id = "d" + std::to_string(i);
    const std::size_t size = random() % 60;
    for (std::size_t k = 0; k < size; ++k) document.text += "abc pqx\n"[random() % 8];
    all.push_back(std::move(document));
  }
  return all;
}

struct Outcome {
  Verdict verdict;
  std::vector<Divergence> divergences;
};

Outcome run(std::vector<Document> texts, Fault* fault, std::uint32_t parts, unsigned lanes = 1,
            AnswerStore* store = nullptr) {
  Outcome outcome;
  CampaignPlan plan;
  plan.parts = parts;
  plan.lanes = lanes;
  plan.block_documents = 7;
  plan.store = store;
  plan.ours = [fault]() -> std::unique_ptr<Engine> {
    if (fault != nullptr) return make_faulty_engine(std::make_unique<ByteEngine>(), *fault);
    return std::make_unique<ByteEngine>();
  };
  plan.theirs = [] { return std::make_unique<ByteEngine>(); };
  plan.on_divergence = [&](const Divergence& divergence) {
    outcome.divergences.push_back(divergence);
  };
  auto source = from_list(std::move(texts));
  outcome.verdict = run_campaign(plan, *source);
  return outcome;
}

constexpr std::uint32_t kAll = kIds | kSpans | kPieces | kDecode;

}  // namespace

TEST_CASE("equal engines agree, and the numbers say how much was checked") {
  const auto [verdict, divergences] = run(documents(100, 1), nullptr, kAll);
  CHECK(divergences.empty());
  CHECK(verdict.difference_count() == 0);
  CHECK(verdict.documents == 100);
  for (const char* check : {"ids", "spans", "pieces", "decode"})
    CHECK(verdict.checked.at(check) == 100);
  CHECK(verdict.checks() == 400);
  CHECK(verdict.distinct_ids == 8);
}

TEST_CASE("every planted fault is found, classified and shrunk") {
  struct Case {
    Fault fault;
    const char* cls;
    const char* minimal;
  };
  for (Case c : {Case{Fault::id, "ids/model", "q"}, Case{Fault::span, "spans/model", "q"},
                 Case{Fault::piece, "pieces/tail", "q"}, Case{Fault::decode, "decode/tail", "q"},
                 Case{Fault::refuse, "ids/refusal-ours", "q"}}) {
    CAPTURE(c.cls);
    const auto [verdict, divergences] = run(documents(100, 2), &c.fault, kAll);
    REQUIRE(!divergences.empty());
    CHECK(verdict.differences.count(c.cls) == 1);
    CHECK(divergences[0].minimal == std::string(c.minimal));
    CHECK(divergences[0].shrink_finished);
    CHECK(divergences[0].window.ours != divergences[0].window.theirs);
  }
  Fault order = Fault::order;
  const auto [verdict, divergences] = run(documents(100, 2), &order, kAll);
  CHECK(verdict.differences.count("ids/batch") == 1);
  CHECK(verdict.difference_count() > 0);
}

TEST_CASE("the verdict does not depend on the number of lanes") {
  Fault fault = Fault::id;
  const auto one = run(documents(300, 3), &fault, kAll, 1);
  const auto four = run(documents(300, 3), &fault, kAll, 4);
  CHECK(one.verdict.checked == four.verdict.checked);
  CHECK(one.verdict.differences == four.verdict.differences);
  CHECK(one.verdict.skipped == four.verdict.skipped);
  CHECK(one.verdict.distinct_ids == four.verdict.distinct_ids);
  REQUIRE(one.divergences.size() == four.divergences.size());
  for (std::size_t i = 0; i < one.divergences.size(); ++i) {
    CHECK(one.divergences[i].document == four.divergences[i].document);
    CHECK(one.divergences[i].minimal == four.divergences[i].minimal);
  }
}

namespace {

/// Waits, the first time, until as many lanes have begun a block.
class MeetingEngine final : public Engine {
 public:
  MeetingEngine(std::atomic<unsigned>& begun, unsigned lanes) : begun_(begun), lanes_(lanes) {}
  const EngineIdentity& identity() const override { return inner_.identity(); }
  std::uint32_t can(const AnswerOptions& options) const override { return inner_.can(options); }
  void ask(std::span<const std::string_view> texts, const Question& question) override {
    if (!met_) ++begun_;
    while (!met_ && begun_ < lanes_) std::this_thread::yield();
    met_ = true;
    inner_.ask(texts, question);
  }
  void receive(std::vector<Answer>& answers) override { inner_.receive(answers); }
  void decode(std::span<const std::vector<toktier::TokenId>> lists,
              std::vector<Decoded>& texts) override {
    inner_.decode(lists, texts);
  }

 private:
  ByteEngine inner_;
  std::atomic<unsigned>& begun_;
  unsigned lanes_;
  bool met_ = false;
};

}  // namespace

TEST_CASE("which divergences are described does not depend on what lanes know of each other") {
  // Two blocks; the lane of the second cannot know what the first will describe.
  std::vector<Document> texts(14);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i].id = std::to_string(i);
    texts[i].text = i < 7 ? "q" : "q" + std::string(10 + i, 'b');
  }
  for (const std::size_t shrink_steps : {0U, 1U}) {
    std::vector<std::string> described[2];
    for (const unsigned lanes : {1U, 2U}) {
      std::atomic<unsigned> begun = 0;
      CampaignPlan plan;
      plan.lanes = lanes;
      plan.block_documents = 7;
      plan.shrink_steps = shrink_steps;
      plan.ours = [&] {
        return make_faulty_engine(std::make_unique<MeetingEngine>(begun, lanes), Fault::id);
      };
      plan.theirs = [] { return std::make_unique<ByteEngine>(); };
      plan.on_divergence = [&](const Divergence& one) {
        described[lanes - 1].push_back(one.document + ' ' + one.minimal);
      };
      auto source = from_list(texts);
      (void)run_campaign(plan, *source);
    }
    CHECK(!described[0].empty());
    CHECK(described[0] == described[1]);
  }
}

TEST_CASE("what cannot be checked is counted, not passed over") {
  CampaignPlan plan;
  plan.parts = kAll;
  plan.ours = [] { return std::make_unique<ByteEngine>(); };
  plan.theirs = [] { return std::make_unique<ByteEngine>(kIds); };
  Document refused;
  refused.text = "refuse this";
  auto source = from_list({{"a", "1", "", {}, false}, refused});
  const Verdict verdict = run_campaign(plan, *source);
  CHECK(verdict.checked.at("ids") == 1);
  CHECK(verdict.checked.count("spans") == 0);
  CHECK(verdict.both_refused == 1);
  CHECK(verdict.skipped.at("spans: the reference does not report it under these options") == 2);
  CHECK(verdict.skipped.at("ids: both refuse the document") == 1);
}

TEST_CASE("quoted ids are confirmed or noted") {
  std::vector<Document> texts(2);
  texts[0].text = texts[1].text = "ab";
  texts[0].id = "right";
  texts[1].id = "wrong";
  texts[0].has_quoted = texts[1].has_quoted = true;
  texts[0].quoted = {'a', 'b'};
  texts[1].quoted = {'a', 'c'};
  const auto [verdict, divergences] = run(texts, nullptr, kIds);
  CHECK(verdict.quoted_agree == 1);
  CHECK(verdict.quoted_differ == 1);
  CHECK(verdict.quoted_differing == std::vector<std::string>{"wrong"});
  CHECK(verdict.difference_count() == 0);
}

TEST_CASE("a campaign ends at its limit of differences") {
  Fault fault = Fault::id;
  CampaignPlan plan;
  plan.max_differences = 5;
  plan.block_documents = 1;
  plan.ours = [&] { return make_faulty_engine(std::make_unique<ByteEngine>(), fault); };
  plan.theirs = [] { return std::make_unique<ByteEngine>(); };
  std::vector<Document> texts(50);
  for (Document& document : texts) document.text = "q";
  auto source = from_list(texts);
  const Verdict verdict = run_campaign(plan, *source);
  CHECK(verdict.limit_reached);
  CHECK(verdict.different_documents == 5);
}

TEST_CASE("stored answers replace the reference, a damaged file is only a miss") {
  const auto folder = std::filesystem::temp_directory_path() / "toktier_answer_store_test";
  std::filesystem::remove_all(folder);
  const EngineIdentity identity = ByteEngine().identity();
  std::string path;
  {
    AnswerStore store(folder.string(), identity, {});
    path = store.path();
    const auto first = run(documents(100, 4), nullptr, kIds | kSpans, 1, &store).verdict;
    CHECK(first.store_hits == 0);
    CHECK(first.store_misses == 15);
  }
  {
    AnswerStore store(folder.string(), identity, {});
    const auto again = run(documents(100, 4), nullptr, kIds | kSpans, 2, &store).verdict;
    CHECK(again.store_hits == 15);
    CHECK(again.store_misses == 0);
    // A fault of ours is found against the stored answers as well.
    Fault fault = Fault::id;
    const auto found = run(documents(100, 4), &fault, kIds | kSpans, 1, &store);
    CHECK(found.verdict.store_hits == 15);
    CHECK(found.verdict.differences.at("ids/model") > 0);
    // An engine of the same name and version whose answers mean something else knows nothing of
    // them, and does not disturb them.
    EngineIdentity changed = identity;
    changed.answers = 2;
    AnswerStore other(folder.string(), changed, {});
    CHECK(other.path() != path);
    CHECK(run(documents(100, 4), nullptr, kIds | kSpans, 1, &other).verdict.store_misses == 15);
    CHECK(AnswerStore(folder.string(), identity, {}).path() == path);
    // Pieces were not stored, so they are asked for.
    CHECK(run(documents(100, 4), nullptr, kAll, 1, &store).verdict.store_misses == 15);
  }
  // Cut, flip and prepend: never an answer that was not given.
  const std::string good = toktier::io::read_all(path);
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    std::string bad = good;
    if (round % 3 == 0) bad.resize(random() % bad.size());
    if (round % 3 == 1) bad[random() % bad.size()] ^= static_cast<char>(1 << (random() % 8));
    if (round % 3 == 2) bad.insert(random() % bad.size(), "xx");
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
    AnswerStore store(folder.string(), identity, {});
    const auto verdict = run(documents(100, 4), nullptr, kIds | kSpans, 1, &store).verdict;
    CHECK(verdict.difference_count() == 0);
    CHECK(verdict.store_hits + verdict.store_misses == 15);
    if (round % 3 != 0) CHECK(store.damaged() >= 1);
  }
  std::filesystem::remove_all(folder);
}
