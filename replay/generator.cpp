#include "replay/generator.hpp"

#include "replay/seeded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace toktier::replay {
namespace {

constexpr double kCharactersPerSecond = 250;  // of a model's answer
constexpr std::uint64_t kMostAppend = 1'000'000;
constexpr int kMeanSteps = 2000;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double share() { return static_cast<double>(next_random(state_) >> 11) / 9007199254740992.0; }

 private:
  std::uint64_t state_;
};

Message said(Role role, PartKind kind, std::string text) {
  Message message;
  message.role = role;
  message.parts.push_back({kind, std::move(text), kind == PartKind::tool_result ? "run" : "", ""});
  return message;
}

/// One session on its way to the sink.
class Generated {
 public:
  Generated(const GeneratorPlan& plan, std::uint64_t index, double begins_ms, double cold,
            TextSupply& text, Sink& sink)
      : plan_(plan),
        random_(plan.seed ^ (index * 0x9E3779B97F4A7C15ULL)),
        time_(begins_ms),
        cold_(cold),
        text_(text),
        sink_(sink) {
    session_.key = session_.id = fmt::format("generated-{:06}", index + 1);
    session_.file = "(generated)";
    session_.format = "toktier-trace";
    session_.model = "none";
  }

  void run(const std::atomic<bool>* stop) {
    const std::uint64_t target = std::min(plan_.context.at(random_.share()), plan_.most_context);
    sink_.open(session_);
    add(said(Role::system, PartKind::text, text_.take(plan_.first.at(random_.share()))));
    add(said(Role::user, PartKind::text, next_text()));
    while (appended_ < target && (stop == nullptr || !*stop)) {
      if (calls_++ > 0 && random_.share() < cold_) replace();
      std::string answer = next_text();
      time_ += 1000.0 * static_cast<double>(answer.size()) / kCharactersPerSecond;
      add(said(Role::assistant, PartKind::text, std::move(answer)), true);
      time_ += static_cast<double>(plan_.pause_ms.at(random_.share()));
      const bool tool = random_.share() < 0.8;
      add(said(tool ? Role::tool : Role::user, tool ? PartKind::tool_result : PartKind::text,
               next_text()));
    }
    sink_.close(session_.key);
  }

 private:
  std::string next_text() {
    const std::uint64_t size = std::min(plan_.append.at(random_.share()), kMostAppend);
    appended_ += size;
    return text_.take(size);
  }
  void add(Message message, bool call = false) {
    Step step;
    step.messages.push_back(std::move(message));
    step.call = call;
    emit(std::move(step));
  }
  /// Everything goes; instructions, and what happened in short, stand for it.
  void replace() {
    Step step;
    step.op = Op::snapshot;
    step.messages.push_back(
        said(Role::system, PartKind::text, text_.take(plan_.first.at(random_.share()))));
    step.messages.push_back(said(Role::user, PartKind::text, text_.take(2000)));
    emit(std::move(step));
  }
  void emit(Step&& step) {
    step.time_ms = static_cast<std::int64_t>(time_);
    sink_.step(session_.key, std::move(step));
  }

  const GeneratorPlan& plan_;
  Random random_;
  Session session_;
  double time_, cold_;
  std::uint64_t appended_ = 0, calls_ = 0;
  TextSupply& text_;
  Sink& sink_;
};

}  // namespace

double mean_of(const SizeLaw& law, std::uint64_t most) {
  double sum = 0;
  for (int i = 0; i < kMeanSteps; ++i)
    sum += static_cast<double>(std::min(law.at((i + 0.5) / kMeanSteps), most));
  return sum / kMeanSteps;
}

void generate(const GeneratorPlan& plan, TextSupply& text, Sink& sink,
              const std::atomic<bool>* stop) {
  // A call grows the context by an answer and an input.
  const double calls = std::max(
      1.0, mean_of(plan.context, plan.most_context) / (2 * mean_of(plan.append, kMostAppend)));
  // First calls are cold; of the others so many that the share comes out.
  const double cold = calls <= 1 ? 0 : std::clamp((plan.cold * calls - 1) / (calls - 1), 0.0, 1.0);
  Random starts(plan.seed + 1);
  double begins = 0;
  for (std::uint64_t i = 0; i < plan.sessions && (stop == nullptr || !*stop); ++i) {
    Generated(plan, i, begins, cold, text, sink).run(stop);
    begins += -std::log(1 - starts.share()) * 1000 / plan.sessions_per_second;
  }
}

}  // namespace toktier::replay
