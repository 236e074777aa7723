#include "apps/bench/summary.hpp"

#include <algorithm>
#include <functional>

namespace toktier::bench {
namespace {

double median_of(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

using Field = std::function<std::optional<double>(const Sample&)>;

std::optional<Spread> over(const Lane& lane, const Field& field) {
  std::vector<double> values;
  for (const Sample& sample : lane.samples) {
    if (const auto value = field(sample)) values.push_back(*value);
  }
  return spread(std::move(values));
}

std::optional<Spread> times(const Lane& lane, const Lane& ours, const Field& field) {
  std::vector<double> values;
  for (const Sample& sample : lane.samples) {
    for (const Sample& own : ours.samples) {
      if (own.round != sample.round) continue;
      const auto theirs = field(sample), mine = field(own);
      if (theirs && mine && *mine > 0) values.push_back(*theirs / *mine);
    }
  }
  return spread(std::move(values));
}

Field later(double Seconds::*clock) {
  return [clock](const Sample& sample) -> std::optional<double> {
    if (sample.later.empty()) return std::nullopt;
    std::vector<double> values;
    for (const Seconds& pass : sample.later) values.push_back(pass.*clock);
    return median_of(values);
  };
}

Field of(Seconds Sample::*part, double Seconds::*clock) {
  return [part, clock](const Sample& sample) { return std::optional<double>(sample.*part.*clock); };
}

Field call(double Seconds::*clock) {
  return [clock](const Sample& sample) -> std::optional<double> {
    if (!sample.first_call) return std::nullopt;
    return (*sample.first_call).*clock;
  };
}

}  // namespace

std::optional<Spread> spread(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  Spread result;
  result.median = median_of(values);  // sorts
  result.least = values.front();
  result.most = values.back();
  result.count = values.size();
  return result;
}

LaneSummary summarise(const Lane& lane, const Lane& ours) {
  LaneSummary s;
  s.load_wall = over(lane, of(&Sample::load, &Seconds::wall));
  s.load_cpu = over(lane, of(&Sample::load, &Seconds::cpu));
  s.first_wall = over(lane, of(&Sample::first, &Seconds::wall));
  s.first_cpu = over(lane, of(&Sample::first, &Seconds::cpu));
  s.later_wall = over(lane, later(&Seconds::wall));
  s.later_cpu = over(lane, later(&Seconds::cpu));
  s.call_wall = over(lane, call(&Seconds::wall));
  s.call_cpu = over(lane, call(&Seconds::cpu));
  s.times_first_wall = times(lane, ours, of(&Sample::first, &Seconds::wall));
  s.times_first_cpu = times(lane, ours, of(&Sample::first, &Seconds::cpu));
  s.times_later_wall = times(lane, ours, later(&Seconds::wall));
  s.times_later_cpu = times(lane, ours, later(&Seconds::cpu));
  return s;
}

double rate(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / 1e6 / seconds : 0;
}

}  // namespace toktier::bench
