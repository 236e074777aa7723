#include "replay/driver.hpp"

#include "replay/workload_text.hpp"
#include "toktier/error.hpp"

#include <algorithm>
#include <chrono>
#include <map>

namespace toktier::replay {
namespace {

constexpr std::size_t kShownBefore = 4, kShown = 12;

std::vector<TokenId> around(const std::vector<TokenId>& ids, std::size_t at) {
  const std::size_t begin = std::min(at - std::min(at, kShownBefore), ids.size());
  const std::size_t end = std::min(ids.size(), begin + kShown);
  return {ids.begin() + static_cast<std::ptrdiff_t>(begin),
          ids.begin() + static_cast<std::ptrdiff_t>(end)};
}

WorkDifference difference_of(std::string what, const std::vector<TokenId>& ours,
                             const std::vector<TokenId>& theirs) {
  WorkDifference out;
  out.what = std::move(what);
  const auto at = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end()).first;
  out.at = static_cast<std::size_t>(at - ours.begin());
  out.ours = around(ours, out.at);
  out.theirs = around(theirs, out.at);
  out.ours_count = ours.size();
  out.theirs_count = theirs.size();
  return out;
}

/// For each step: no further change of that session follows.
std::vector<bool> last_steps(const std::vector<WorkStep>& steps) {
  std::vector<bool> last(steps.size());
  std::map<std::string_view, bool> more;
  for (std::size_t i = steps.size(); i-- > 0;) {
    const WorkStep& step = steps[i];
    bool& follows = more[step.session];
    last[i] = step.op != WorkOp::close && !follows;
    follows = step.op != WorkOp::close;
    if (step.op == WorkOp::open || step.op == WorkOp::fork) follows = false;
  }
  return last;
}

}  // namespace

struct Driver::Open {
  std::unique_ptr<Target> target;
  std::vector<TokenId> sequence;  // by patches
};

/// One workload on its way.
class Driver::Run {
 public:
  Run(Driver& driver, const WorkSession& work)
      : driver_(driver), work_(work), last_(last_steps(work.steps)) {}

  WorkOutcome all() {
    for (std::size_t i = 0; i < work_.steps.size(); ++i) {
      if (driver_.options_.stop != nullptr && *driver_.options_.stop) {
        out_.stopped = true;
        break;
      }
      one(i);
    }
    for (const auto& [key, open] : open_) end(*open.target, text_.find(key)->size());
    return std::move(out_);
  }

 private:
  void one(std::size_t index);
  /// The calls, timed, and their patches. False: both sides refuse the text.
  bool carry_out(std::size_t index, Open& open, StepMeasure& measure);
  void call(const WorkStep& step, Open& open, std::vector<Patch>& patches);
  void verify(std::size_t index, Open& open, StepMeasure& measure);
  void found(std::size_t index, WorkDifference difference);
  void end(const Target& target, std::uint64_t bytes) {
    out_.ends.push_back({bytes, target.tokens(), target.memory()});
  }

  Driver& driver_;
  const WorkSession& work_;
  std::vector<bool> last_;
  WorkOutcome out_;
  WorkloadText text_;
  std::map<std::string, Open> open_;
  Encoding cold_;
};

void Driver::Run::found(std::size_t index, WorkDifference difference) {
  difference.step = index;
  difference.session = work_.steps[index].session;
  out_.differences.push_back(std::move(difference));
  open_.erase(work_.steps[index].session);
}

void Driver::Run::one(std::size_t index) {
  const WorkStep& step = work_.steps[index];
  const bool begins = step.op == WorkOp::open || step.op == WorkOp::fork;
  StepMeasure measure;
  measure.op = step.op;
  measure.given = step.text.size();
  const std::string* before = text_.find(step.op == WorkOp::fork ? step.from : step.session);
  measure.before = before == nullptr ? 0 : before->size();
  if (step.op == WorkOp::fork) measure.before = std::min(measure.before, step.begin);
  text_.step(step);
  if (step.op == WorkOp::close) {
    if (const auto found = open_.find(step.session); found != open_.end()) {
      end(*found->second.target, measure.before);
      open_.erase(found);
    }
    out_.steps.push_back(measure);
    return;
  }
  measure.after = text_.find(step.session)->size();
  if (step.op == WorkOp::open) {
    open_[step.session].target = driver_.options_.make();
  } else if (step.op == WorkOp::fork) {
    if (const auto parent = open_.find(step.from); parent != open_.end())
      open_[step.session].sequence = parent->second.sequence;
  }
  const auto open = open_.find(step.session);
  const bool lost =
      open == open_.end() || (step.op == WorkOp::fork && open_.find(step.from) == open_.end());
  if (lost) {
    if (begins) open_.erase(step.session);
    ++out_.lost;
    return;
  }
  if (carry_out(index, open->second, measure)) verify(index, open->second, measure);
  out_.steps.push_back(measure);
}

void Driver::Run::call(const WorkStep& step, Open& open, std::vector<Patch>& patches) {
  Tokenizer::Scratch& scratch = driver_.scratch_;
  if (step.op == WorkOp::fork) open.target = open_.at(step.from).target->fork();
  Target& target = *open.target;
  if (driver_.options_.given == GivenAs::full) {
    patches.push_back(target.update(*text_.find(step.session), scratch));
    return;
  }
  replay::carry_out(step, target, scratch, patches);
}

bool Driver::Run::carry_out(std::size_t index, Open& open, StepMeasure& measure) {
  const WorkStep& step = work_.steps[index];
  const Target* counted =
      step.op == WorkOp::fork ? open_.at(step.from).target.get() : open.target.get();
  const SessionStatistics before = counted->statistics();
  std::vector<Patch> patches;
  patches.reserve(2);
  std::string refusal;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  try {
    call(step, open, patches);
  } catch (const Error& error) {
    refusal = error.what();
  }
  measure.nanoseconds = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
  if (!refusal.empty()) {
    bool both = false;
    try {
      driver_.tokenizer_.encode(*text_.find(step.session), driver_.options_.cold,
                                driver_.cold_scratch_, cold_);
    } catch (const Error&) {
      both = true;
    }
    measure.refused = true;
    if (both) {
      open_.erase(step.session);
    } else {
      WorkDifference difference;
      difference.what = "refusal";
      difference.message = refusal;
      found(index, std::move(difference));
    }
    return false;
  }
  const SessionStatistics& after = open.target->statistics();
  measure.encoded = after.bytes_encoded - before.bytes_encoded;
  measure.no_seam_before = after.no_seam_before > before.no_seam_before;
  measure.no_seam_behind = after.no_seam_behind > before.no_seam_behind;
  measure.score_moved = after.score_moved > before.score_moved;
  measure.patches = patches.size();
  for (const Patch& patch : patches) {
    measure.told_ids += patch.ids.size();
    // A patch that cannot be applied is a difference, not a crash.
    if (patch.keep_tokens + patch.tail_tokens > open.sequence.size()) {
      open.sequence.clear();
      break;
    }
    patch.apply(open.sequence);
  }
  return true;
}

void Driver::Run::verify(std::size_t index, Open& open, StepMeasure& measure) {
  const WorkStep& step = work_.steps[index];
  const Verification& plan = driver_.options_.verify;
  const std::string& text = *text_.find(step.session);
  const bool reference =
      driver_.options_.reference && plan.wants_reference(step.session, index, text.size());
  const bool wanted = reference || plan.wants(step.session, index, text.size(), last_[index]);
  const bool length = open.sequence.size() == open.target->tokens();
  if (!wanted && length) return;
  try {
    driver_.tokenizer_.encode(text, driver_.options_.cold, driver_.cold_scratch_, cold_);
  } catch (const Error& error) {
    WorkDifference difference;
    difference.what = "refusal";
    difference.message = std::string("a cold encode alone refuses: ") + error.what();
    return found(index, std::move(difference));
  }
  measure.verified = true;
  if (open.sequence != cold_.ids)
    return found(index, difference_of("patches", open.sequence, cold_.ids));
  if (const std::vector<TokenId> ids = open.target->snapshot(); ids != cold_.ids)
    return found(index, difference_of("snapshot", ids, cold_.ids));
  if (!length) {
    WorkDifference difference = difference_of("length", open.sequence, cold_.ids);
    difference.ours_count = open.target->tokens();
    return found(index, std::move(difference));
  }
  if (!reference) return;
  const ReferenceAnswer theirs = driver_.options_.reference(text);
  measure.referenced = theirs.known;
  if (!theirs.refusal.empty()) {
    WorkDifference difference;
    difference.what = "reference";
    difference.message = "the reference alone refuses: " + theirs.refusal;
    found(index, std::move(difference));
  } else if (theirs.known && theirs.ids != cold_.ids) {
    found(index, difference_of("reference", cold_.ids, theirs.ids));
  }
}

Driver::Driver(const Tokenizer& tokenizer, DriverOptions options)
    : tokenizer_(tokenizer),
      options_(std::move(options)),
      scratch_(tokenizer),
      cold_scratch_(tokenizer) {}

WorkOutcome Driver::run(const WorkSession& work) { return Run(*this, work).all(); }

std::vector<WorkStep> Driver::repro(const WorkSession& work, const WorkDifference& difference) {
  const WorkStep& last = work.steps[difference.step];
  const auto end = work.steps.begin() + static_cast<std::ptrdiff_t>(difference.step);
  WorkloadText text;
  for (auto step = work.steps.begin(); step != end; ++step) text.step(*step);
  const std::string* before = text.find(last.op == WorkOp::fork ? last.from : last.session);
  if (before != nullptr) {
    WorkSession small;
    WorkStep open;
    open.session = last.op == WorkOp::fork ? last.from : last.session;
    open.op = WorkOp::open;
    open.text = *before;
    open.bytes = before->size();
    open.turn = last.turn;
    small.steps = {open, last};
    DriverOptions options = options_;
    options.stop = nullptr;
    options.verify.kind = Verification::Kind::all;
    options.verify.reference = difference.what == "reference" ? 1 : 0;
    Driver again(tokenizer_, std::move(options));
    if (!again.run(small).differences.empty()) return small.steps;
  }
  return {work.steps.begin(), end + 1};
}

}  // namespace toktier::replay
