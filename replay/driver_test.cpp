// Workloads carried out on sessions: sound ones show no difference, planted faults are found.

#include "replay/driver.hpp"

#include "replay/replay_totals.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace toktier;
using namespace toktier::replay;

namespace {

const Tokenizer& gpt2() {
  static const Tokenizer tokenizer = Tokenizer::load("embedded");
  return tokenizer;
}

/// Keeps the text, so that steps have the right number of bytes.
class Builder {
 public:
  Builder& open(const std::string& session, const std::string& text) {
    texts_[session] = text;
    return add(session, WorkOp::open, text);
  }
  Builder& append(const std::string& session, const std::string& text) {
    texts_[session] += text;
    return add(session, WorkOp::append, text);
  }
  Builder& edit(const std::string& session, std::size_t begin, std::size_t end,
                const std::string& text) {
    texts_[session].replace(begin, end - begin, text);
    add(session, WorkOp::edit, text);
    work.steps.back().begin = begin;
    work.steps.back().end = end;
    return *this;
  }
  Builder& replace(const std::string& session, const std::string& text) {
    texts_[session] = text;
    return add(session, WorkOp::replace, text);
  }
  Builder& rewind(const std::string& session, std::size_t bytes) {
    texts_[session].resize(bytes);
    add(session, WorkOp::rewind, "");
    work.steps.back().begin = bytes;
    return *this;
  }
  Builder& fork(const std::string& from, const std::string& session, std::size_t bytes,
                const std::string& text) {
    texts_[session] = texts_[from].substr(0, bytes) + text;
    add(session, WorkOp::fork, text);
    work.steps.back().from = from;
    work.steps.back().begin = bytes;
    return *this;
  }
  Builder& close(const std::string& session) {
    texts_[session].clear();
    return add(session, WorkOp::close, "");
  }
  WorkSession work;

 private:
  Builder& add(const std::string& session, WorkOp op, const std::string& text) {
    WorkStep step;
    step.session = session;
    step.op = op;
    step.text = text;
    step.bytes = texts_[session].size();
    work.steps.push_back(step);
    return *this;
  }
  std::map<std::string, std::string> texts_;
};

/// Every kind of step; texts whose tokens change when something follows.
WorkSession everything() {
  Builder b;
  b.open("s", "The quick brown fo")
      .append("s", "x jum")
      .append("s", "ps over it's")
      .append("s", "elf");
  b.append("s", "").append("s", "  \n").append("s", "\n  12").append("s", "34567 caf\xC3\xA9");
  b.edit("s", 4, 9, "slow").rewind("s", 30).append("s", "nothing at all");
  b.fork("s", "t", 20, " and then some")
      .append("t", "thing else")
      .replace("s", "Quite another text");
  b.append("s", "ual matter").close("t").append("s", "!").close("s");
  return b.work;
}

DriverOptions options_of(const Tokenizer& tokenizer) {
  DriverOptions options;
  options.make = session_targets(tokenizer, {});
  options.cold.truncate = false;
  return options;
}

WorkOutcome run(DriverOptions options, const WorkSession& work) {
  Driver driver(gpt2(), std::move(options));
  return driver.run(work);
}

}  // namespace

TEST_CASE("every step of a sound session is verified and equal") {
  for (const GivenAs given : {GivenAs::delta, GivenAs::full}) {
    DriverOptions options = options_of(gpt2());
    options.given = given;
    const WorkSession work = everything();
    const WorkOutcome outcome = run(options, work);
    CHECK(outcome.differences.empty());
    CHECK(outcome.steps.size() == work.steps.size());
    CHECK(outcome.ends.size() == 2);
    CHECK(outcome.lost == 0);
    ReplayTotals totals;
    totals.add(outcome);
    CHECK(totals.verified() == work.steps.size() - 2);
    CHECK(totals.repairs() == work.steps.size() - 3);
    CHECK(totals.verified_repairs() == totals.repairs());
    CHECK(totals.verified_edits() == 4);  // edit, rewind, fork, replacement
    CHECK(totals.sessions == 2);
    CHECK(totals.encoded() >= totals.given() - 1);
    CHECK(totals.appends == 10);  // the empty one apart
    CHECK(totals.memory.count() == 2);
  }
}

TEST_CASE("planted faults are found, and shown again by few steps") {
  const WorkSession work = everything();
  const std::map<Planted, std::string> kinds = {
      {Planted::keep, "patches"}, {Planted::id, "patches"}, {Planted::snapshot, "snapshot"}};
  for (const auto& [fault, kind] : kinds) {
    DriverOptions options = options_of(gpt2());
    options.make = with_fault(options.make, fault);
    Driver driver(gpt2(), options);
    const WorkOutcome outcome = driver.run(work);
    REQUIRE(!outcome.differences.empty());
    const WorkDifference& first = outcome.differences.front();
    CHECK(first.what == kind);
    CHECK(first.step == 2);  // the third append
    CHECK(first.session == "s");
    CHECK(first.at < first.theirs_count);
    CHECK(outcome.lost > 0);
    WorkSession again;
    again.steps = driver.repro(work, first);
    CHECK(!driver.run(again).differences.empty());
    CHECK(again.steps.size() <= first.step + 1);
  }
}

TEST_CASE("a wrong number of ids is found in steps that are not verified") {
  DriverOptions options = options_of(gpt2());
  options.make = with_fault(options.make, Planted::keep);
  options.verify.kind = Verification::Kind::none;
  CHECK(!run(options, everything()).differences.empty());
}

TEST_CASE("a reference that answers otherwise is a difference, one that is lost is none") {
  DriverOptions options = options_of(gpt2());
  options.verify.reference = 1;
  std::uint64_t asked = 0;
  const auto right = [&](const std::string& text) {
    ++asked;
    return ReferenceAnswer{true, "", gpt2().encode(text).ids};
  };
  options.reference = right;
  const WorkOutcome sound = run(options, everything());
  CHECK(sound.differences.empty());
  ReplayTotals totals;
  totals.add(sound);
  CHECK(totals.referenced() == asked);
  CHECK(asked == totals.verified());

  options.reference = [&](const std::string& text) {
    ReferenceAnswer answer = right(text);
    answer.ids.push_back(0);
    return answer;
  };
  const WorkOutcome wrong = run(options, everything());
  REQUIRE(!wrong.differences.empty());
  CHECK(wrong.differences.front().what == "reference");
  CHECK(wrong.differences.front().step == 0);

  options.reference = [](const std::string&) { return ReferenceAnswer{false, "no", {}}; };
  CHECK(!run(options, everything()).differences.empty());
  options.reference = [](const std::string&) { return ReferenceAnswer{}; };
  CHECK(run(options, everything()).differences.empty());
}

TEST_CASE("a text that both sides refuse ends its session, no other") {
  // WordPiece without an unknown token refuses what its entries do not spell.
  const Tokenizer small = Tokenizer::load_bytes(
      R"({"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",
          "max_input_chars_per_word":100,"vocab":{"a":0,"##b":1}}})",
      "small.json");
  Builder b;
  b.open("s", "ab").append("s", "b").append("s", "c").append("s", "b").close("s");
  b.open("t", "a").append("t", "bb").close("t");
  Driver driver(small, options_of(small));
  const WorkOutcome outcome = driver.run(b.work);
  CHECK(outcome.differences.empty());
  ReplayTotals totals;
  totals.add(outcome);
  CHECK(totals.refused == 1);
  CHECK(totals.lost == 1);
  CHECK(totals.verified() == 4);
}

TEST_CASE("a stop flag ends between steps") {
  std::atomic<bool> stop = true;
  DriverOptions options = options_of(gpt2());
  options.stop = &stop;
  const WorkOutcome outcome = run(options, everything());
  CHECK(outcome.stopped);
  CHECK(outcome.steps.empty());
}

TEST_CASE("which steps are verified depends on seed and names alone") {
  const Verification none = parse_verification("none");
  const Verification all = parse_verification("all");
  Verification tenth = parse_verification("sample:0.1");
  const Verification within = parse_verification("within:4k");
  CHECK(within.bytes == 4096);
  CHECK(within.text() == "within:4096");
  std::uint64_t of_tenth = 0, of_long = 0, of_reference = 0, changed = 0, of_forks = 0;
  tenth.reference = 0.01;
  Verification other = tenth;
  other.seed = 9;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    CHECK(!none.wants("s", i, 1, true));
    CHECK(all.wants("s", i, 1, false));
    CHECK(within.wants("s", i, 4096, false));
    of_tenth += tenth.wants("s", i, 1, false);
    CHECK(tenth.wants("a/b/s", i, 1, false) == tenth.wants("s", i, 1, false));
    CHECK(tenth.wants("b/s/fork1/fork2", i, 1, false) == tenth.wants("s/fork1/fork2", i, 1, false));
    of_forks += tenth.wants("b/s/fork1", i, 1, false) != tenth.wants("b/s", i, 1, false);
    changed += tenth.wants("s", i, 1, false) != other.wants("s", i, 1, false);
    of_long += within.wants("s", i, 40960, false);
    of_reference += tenth.wants_reference("s", i, 1);
  }
  CHECK(of_tenth > 900);
  CHECK(of_tenth < 1100);
  CHECK(of_long > 900);
  CHECK(of_long < 1100);
  CHECK(of_reference > 60);
  CHECK(of_reference < 140);
  CHECK(changed > 1000);
  CHECK(of_forks > 0);
  CHECK(within.wants("s", 1, 1 << 30, true));
  for (const char* bad : {"", "most", "sample", "sample:", "sample:2", "sample:-1", "sample:0.1x",
                          "within:", "within:0", "within:9x", "All"})
    CHECK_THROWS_AS(parse_verification(bad), Error);
}

TEST_CASE("totals add up whatever the order") {
  const WorkOutcome outcome = run(options_of(gpt2()), everything());
  ReplayTotals once, twice, merged;
  once.add(outcome);
  twice.add(outcome);
  twice.add(outcome);
  merged.merge(once);
  merged.merge(once);
  CHECK(merged.steps() == twice.steps());
  CHECK(merged.encoded() == twice.encoded());
  CHECK(merged.text_bytes == twice.text_bytes);
  CHECK(merged.append_extra.quantile(0.5) == twice.append_extra.quantile(0.5));
  CHECK(band_of(0) == 0);
  CHECK(band_of(4095) == 0);
  CHECK(band_of(4096) == 1);
  CHECK(band_of(std::uint64_t{1} << 40) == kBands - 1);
}
