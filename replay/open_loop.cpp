#include "replay/open_loop.hpp"

#include "replay/workload_text.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <sys/prctl.h>
#include <thread>

namespace toktier::replay {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLongestSleep{100};

/// Bytes of the text before each step.
std::vector<std::uint64_t> lengths_before(const WorkSession& work) {
  std::vector<std::uint64_t> out;
  std::map<std::string_view, std::uint64_t> now;
  for (const WorkStep& step : work.steps) {
    std::uint64_t& length = now[step.session];
    out.push_back(step.op == WorkOp::fork ? step.begin : step.op == WorkOp::open ? 0 : length);
    length = step.bytes;
  }
  return out;
}

/// What one run did: its targets, and the patches of its steps.
struct RunState {
  std::map<std::string, std::unique_ptr<Target>> targets;
  std::vector<std::vector<Patch>> patches;  // by step
  std::size_t done = 0;                     // so many steps
  bool refused = false;
};

class Thread {
 public:
  Thread(const Tokenizer& tokenizer, const TargetMaker& make, const std::vector<WorkSession>& works,
         const Schedule& schedule, std::deque<RunState>& runs,
         const std::vector<std::vector<std::uint64_t>>& before, const std::atomic<bool>* stop)
      : make_(make),
        works_(works),
        schedule_(schedule),
        runs_(runs),
        before_(before),
        stop_(stop),
        scratch_(tokenizer) {}

  std::vector<PlannedStep> planned;
  std::vector<TimedStep> timed;
  std::uint64_t refused = 0;
  std::exception_ptr error;

  void run(Clock::time_point start) {
    // The kernel may wake sleepers together unless asked not to; without effect elsewhere.
    ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    try {
      for (const PlannedStep& step : planned) {
        const Clock::time_point due = start + std::chrono::nanoseconds(step.start_ns);
        while (!stopped() && Clock::now() + kLongestSleep < due)
          std::this_thread::sleep_for(kLongestSleep);
        if (stopped()) return;
        std::this_thread::sleep_until(due);
        one(step, start);
      }
    } catch (...) {
      error = std::current_exception();
    }
  }

 private:
  bool stopped() const { return stop_ != nullptr && *stop_; }

  void one(const PlannedStep& planned_step, Clock::time_point start) {
    RunState& state = runs_[planned_step.run];
    if (state.refused) return;
    const std::size_t which = schedule_.runs[planned_step.run];
    const WorkSession& work = works_[which];
    const WorkStep& step = work.steps[planned_step.step];
    std::vector<Patch> patches;
    patches.reserve(2);
    std::unique_ptr<Target>& target = state.targets[step.session];
    if (step.op == WorkOp::open) target = make_();
    TimedStep out;
    out.op = step.op;
    out.before = before_[which][planned_step.step];
    out.planned_ns = planned_step.start_ns;
    out.began_ns = nanoseconds_since(start);
    try {
      if (step.op == WorkOp::fork) target = state.targets.at(step.from)->fork();
      carry_out(step, *target, scratch_, patches);
    } catch (const Error& refusal) {
      if (refusal.code() == ErrorCode::internal) throw;
      state.refused = true;  // as the driver: what follows in the session is not carried out
      ++refused;
      return;
    }
    out.ended_ns = nanoseconds_since(start);
    timed.push_back(out);
    state.patches.resize(work.steps.size());
    state.patches[planned_step.step] = std::move(patches);
    for (state.done = planned_step.step + 1;
         state.done < work.steps.size() && work.steps[state.done].op == WorkOp::close; ++state.done)
      state.targets.erase(work.steps[state.done].session);
  }

  static std::int64_t nanoseconds_since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  }

  const TargetMaker& make_;
  const std::vector<WorkSession>& works_;
  const Schedule& schedule_;
  std::deque<RunState>& runs_;
  const std::vector<std::vector<std::uint64_t>>& before_;
  const std::atomic<bool>* stop_;
  Tokenizer::Scratch scratch_;
};

/// Builds the ids of every session of a run from its patches, and compares them at the end of each.
class Check {
 public:
  Check(const Tokenizer& tokenizer, const EncodeOptions& cold, LoopResult& out)
      : tokenizer_(tokenizer), cold_(cold), scratch_(tokenizer), out_(out) {}

  void run(const WorkSession& work, const RunState& state) {
    if (state.refused) return;
    WorkloadText text;
    std::map<std::string, std::vector<TokenId>> ids;
    for (std::size_t i = 0; i < state.done; ++i) {
      const WorkStep& step = work.steps[i];
      if (step.op == WorkOp::close) {
        compare(step.session, *text.find(step.session), ids.at(step.session));
        ids.erase(step.session);
      }
      if (step.op == WorkOp::fork) ids[step.session] = ids.at(step.from);
      text.step(step);
      for (const Patch& patch : state.patches[i]) patch.apply(ids[step.session]);
    }
    for (const auto& [session, sequence] : ids) compare(session, *text.find(session), sequence);
  }

 private:
  void compare(const std::string& session, const std::string& text,
               const std::vector<TokenId>& sequence) {
    tokenizer_.encode(text, cold_, scratch_, expected_);
    ++out_.verified_sessions;
    if (sequence == expected_.ids) return;
    if (out_.different_sessions++ > 0) return;
    const auto at =
        std::mismatch(sequence.begin(), sequence.end(), expected_.ids.begin(), expected_.ids.end())
            .first;
    out_.first_difference =
        fmt::format("session {}, token {}: {} ids, expected {}", session, at - sequence.begin(),
                    sequence.size(), expected_.ids.size());
  }

  const Tokenizer& tokenizer_;
  const EncodeOptions& cold_;
  Tokenizer::Scratch scratch_;
  Encoding expected_;
  LoopResult& out_;
};

}  // namespace

bool LoopResult::saturated() const {
  constexpr std::int64_t kLeast = 10'000'000;  // a hiccup of the machine is no backlog
  return ended_ns - planned_end_ns > kLeast + planned_end_ns / 50;
}

LoopResult run_loop(const Tokenizer& tokenizer, const TargetMaker& make, const EncodeOptions& cold,
                    const std::vector<WorkSession>& works, const Schedule& schedule,
                    const LoopPlan& plan, const std::atomic<bool>* stop) {
  std::vector<std::vector<std::uint64_t>> before;
  before.reserve(works.size());
  for (const WorkSession& work : works) before.push_back(lengths_before(work));
  std::deque<RunState> runs(schedule.runs.size());
  std::deque<Thread> threads;
  for (unsigned i = 0; i < std::max(1U, plan.threads); ++i)
    threads.emplace_back(tokenizer, make, works, schedule, runs, before, stop);
  for (const PlannedStep& step : schedule.steps)
    threads[step.run % threads.size()].planned.push_back(step);
  for (Thread& thread : threads) thread.timed.reserve(thread.planned.size());

  const Clock::time_point start = Clock::now() + std::chrono::milliseconds(5);
  std::vector<std::thread> running;
  for (Thread& thread : threads) running.emplace_back([&thread, start] { thread.run(start); });
  for (std::thread& one : running) one.join();
  for (const Thread& thread : threads)
    if (thread.error) std::rethrow_exception(thread.error);

  LoopResult out;
  out.stopped = stop != nullptr && *stop;
  out.planned_end_ns = schedule.steps.back().start_ns;
  const auto warmup = static_cast<std::int64_t>(plan.warmup_seconds * 1e9);
  for (const Thread& thread : threads) {
    out.refused += thread.refused;
    for (const TimedStep& step : thread.timed) {
      out.ended_ns = std::max(out.ended_ns, step.ended_ns);
      if (step.planned_ns < warmup)
        ++out.warmup_steps;
      else
        out.steps.push_back(step);
    }
  }
  std::stable_sort(out.steps.begin(), out.steps.end(), [](const TimedStep& a, const TimedStep& b) {
    return a.planned_ns < b.planned_ns;
  });
  Check check(tokenizer, cold, out);
  for (std::size_t run = 0; run < runs.size(); ++run)
    check.run(works[schedule.runs[run]], runs[run]);
  return out;
}

}  // namespace toktier::replay
