// Steps at planned times: what is planned, what latency is, what is verified.

#include "replay/open_loop.hpp"

#include "replay/objective.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

using namespace toktier;
using namespace toktier::replay;

namespace {

const Tokenizer& gpt2() {
  static const Tokenizer tokenizer = Tokenizer::load("embedded");
  return tokenizer;
}

/// `count` appends a second apart, and a close.
WorkSession session_of(const std::string& key, std::size_t count, std::int64_t begins = 0) {
  WorkSession work;
  work.key = key;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    WorkStep step;
    step.session = key;
    step.op = i == 0 ? WorkOp::open : i < count ? WorkOp::append : WorkOp::close;
    if (i < count) step.text = fmt::format("{} words of {}", i, key);
    bytes += step.text.size();
    step.bytes = i < count ? bytes : 0;
    step.time_ms = begins + static_cast<std::int64_t>(i) * 1000;
    work.steps.push_back(step);
  }
  return work;
}

/// Takes its time.
class SlowTarget final : public Target {
 public:
  explicit SlowTarget(std::unique_ptr<Target> sound) : sound_(std::move(sound)) {}
  Patch append(std::string_view text, Scratch& scratch) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return sound_->append(text, scratch);
  }
  Patch edit(std::size_t begin, std::size_t end, std::string_view text, Scratch& scratch) override {
    return sound_->edit(begin, end, text, scratch);
  }
  Patch update(std::string_view full, Scratch& scratch) override {
    return sound_->update(full, scratch);
  }
  Patch rewind(std::size_t bytes, Scratch& scratch) override {
    return sound_->rewind(bytes, scratch);
  }
  std::unique_ptr<Target> fork() const override { return sound_->fork(); }
  std::size_t tokens() const override { return sound_->tokens(); }
  std::vector<TokenId> snapshot() const override { return sound_->snapshot(); }
  const SessionStatistics& statistics() const override { return sound_->statistics(); }
  std::size_t memory() const override { return sound_->memory(); }

 private:
  std::unique_ptr<Target> sound_;
};

LoopResult run(const TargetMaker& make, const std::vector<WorkSession>& works,
               const LoopPlan& plan) {
  EncodeOptions cold;
  cold.truncate = false;
  return run_loop(gpt2(), make, cold, works, plan_loop(works, plan), plan, nullptr);
}

}  // namespace

TEST_CASE("a plan by rate has that many steps, in the order of each session") {
  const std::vector<WorkSession> works = {session_of("a", 5), session_of("b", 3),
                                          session_of("c", 9)};
  for (const auto arrival : {LoopPlan::Arrival::poisson, LoopPlan::Arrival::uniform}) {
    LoopPlan plan;
    plan.arrival = arrival;
    plan.rate = 1000;
    plan.seconds = 10;
    plan.open = 4;
    plan.seed = 3;
    const Schedule schedule = plan_loop(works, plan);
    CHECK(schedule.steps.size() > 9600);
    CHECK(schedule.steps.size() < 10400);
    CHECK(schedule.runs.size() > 1000);  // they begin again
    std::map<std::size_t, std::size_t> next;
    std::int64_t last = 0;
    std::size_t under = 0, most = 0;
    for (const PlannedStep& step : schedule.steps) {
      REQUIRE(step.start_ns >= last);
      last = step.start_ns;
      REQUIRE(step.step == next[step.run]);
      under += next[step.run]++ == 0;
      most = std::max(most, under);
      const WorkSession& work = works[schedule.runs[step.run]];
      REQUIRE(work.steps[step.step].op != WorkOp::close);
      under -= next[step.run] + 1 == work.steps.size();
    }
    CHECK(most <= 4);
    const Schedule again = plan_loop(works, plan);
    CHECK(again.steps.back().start_ns == schedule.steps.back().start_ns);
    plan.seed = 4;
    const bool other = plan_loop(works, plan).steps[50].run != schedule.steps[50].run ||
                       plan_loop(works, plan).steps[51].run != schedule.steps[51].run ||
                       plan_loop(works, plan).steps[52].run != schedule.steps[52].run;
    CHECK(other);
  }
}

TEST_CASE("a plan by the trace has its times, scaled, and leaves out sessions without") {
  std::vector<WorkSession> works = {session_of("late", 3, 5000), session_of("early", 2, 4500)};
  works.push_back(session_of("timeless", 2));
  for (WorkStep& step : works.back().steps) step.time_ms.reset();
  works[0].steps[2].time_ms = 100;  // runs backwards: comes with what is before it
  works[0].steps[0].time_ms.reset();
  LoopPlan plan;
  plan.arrival = LoopPlan::Arrival::trace;
  plan.time_scale = 10;
  plan.seconds = 0;
  const Schedule schedule = plan_loop(works, plan);
  CHECK(schedule.without_time == 1);
  REQUIRE(schedule.steps.size() == 5);
  std::vector<std::int64_t> starts;
  for (const PlannedStep& step : schedule.steps) starts.push_back(step.start_ns / 1'000'000);
  CHECK(starts == std::vector<std::int64_t>{440, 540, 590, 590, 590});
  plan.seconds = 0.5;
  CHECK(plan_loop(works, plan).steps.size() == 1);
  plan.seconds = 0.1;
  CHECK_THROWS_AS(plan_loop(works, plan), Error);
  CHECK_THROWS_AS(plan_loop({works.back()}, plan), Error);
  CHECK_THROWS_AS(plan_loop({}, plan), Error);
}

TEST_CASE("every session is verified after the run, and a fault is found") {
  const std::vector<WorkSession> works = {session_of("a", 5), session_of("b", 3)};
  LoopPlan plan;
  plan.rate = 20'000;
  plan.seconds = 0.05;
  plan.open = 3;
  plan.threads = 2;
  const TargetMaker sound = session_targets(gpt2(), {});
  const LoopResult good = run(sound, works, plan);
  CHECK(good.steps.size() == plan_loop(works, plan).steps.size());
  std::set<std::size_t> begun;
  for (const PlannedStep& step : plan_loop(works, plan).steps) begun.insert(step.run);
  CHECK(good.verified_sessions == begun.size());
  CHECK(good.different_sessions == 0);
  for (const TimedStep& step : good.steps) {
    REQUIRE(step.began_ns >= step.planned_ns);
    REQUIRE(step.ended_ns >= step.began_ns);
  }
  CHECK(run(with_fault(sound, Planted::id), works, plan).different_sessions > 0);
  EncodeOptions cold;
  cold.truncate = false;
  CHECK(run(whole_encodes(gpt2(), cold), works, plan).different_sessions == 0);
  plan.warmup_seconds = 0.02;
  const LoopResult warm = run(sound, works, plan);
  CHECK(warm.warmup_steps > 0);
  CHECK(warm.warmup_steps + warm.steps.size() == good.steps.size());
}

TEST_CASE("waiting behind a slow step is part of the latency") {
  // A step a millisecond, each of which takes five: the hundredth waits for most of half a second,
  // and a clock that began with the step would not see it.
  const TargetMaker sound = session_targets(gpt2(), {});
  const TargetMaker slow = [&sound] { return std::make_unique<SlowTarget>(sound()); };
  LoopPlan plan;
  plan.arrival = LoopPlan::Arrival::uniform;
  plan.rate = 1000;
  plan.seconds = 0.1;
  const LoopResult result = run(slow, {session_of("a", 200)}, plan);
  REQUIRE(result.steps.size() >= 99);
  const TimedStep& last = result.steps[98];
  CHECK(last.ended_ns - last.planned_ns > 350'000'000);
  CHECK(result.saturated());
  CHECK(result.different_sessions == 0);
}

TEST_CASE("a backlog at the end is saturation") {
  LoopResult result;
  result.planned_end_ns = 1'000'000'000;
  result.ended_ns = 1'020'000'000;
  CHECK(!result.saturated());
  result.ended_ns = 1'031'000'000;
  CHECK(result.saturated());
}

TEST_CASE("objectives and rates") {
  const Objective p99 = parse_objective("p99:5ms");
  CHECK(p99.share == doctest::Approx(0.99));
  CHECK(p99.nanoseconds == 5'000'000);
  CHECK(parse_objective("p99.9<250us").nanoseconds == 250'000);
  CHECK(parse_objective("max:2s").share == 1);
  Distribution values;
  for (int i = 0; i < 98; ++i) values.add(1'000'000);
  CHECK(p99.met(values));
  values.add(6'000'000);
  values.add(7'000'000);
  CHECK(!p99.met(values));
  CHECK(!p99.met({}));
  for (const char* bad : {"", "p99", "p99:", "p99:5", "p101:5ms", "99:5ms", "p99:-1ms", "p99:0ms",
                          "p99=5ms", "p99:5msx", "maximum:5ms"})
    CHECK_THROWS_AS(parse_objective(bad), Error);
  CHECK(parse_rates("100:300:100") == std::vector<double>{100, 200, 300});
  CHECK(parse_rates("5:5:1") == std::vector<double>{5});
  for (const char* bad : {"", "1:2", "0:2:1", "3:2:1", "1:2:0", "1:2:1:1", "1:2:x", "1:1e9:0.001"})
    CHECK_THROWS_AS(parse_rates(bad), Error);
}
