#include "replay/objective.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace toktier::replay {
namespace {

constexpr std::size_t kMostRates = 10'000;

/// The number that `text` begins with, which becomes what follows it.
std::optional<double> number_of(std::string_view& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || !(value >= 0 && value < 1e15)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

Objective parse_objective(const std::string& text) {
  const auto refuse = [&] {
    return Error(ErrorCode::usage,
                 fmt::format("--slo: '{}' (a quantile and a time are wanted: p99:5ms)", text));
  };
  Objective out;
  out.text = text;
  std::string_view rest = text;
  if (rest.starts_with("max")) {
    out.share = 1;
    rest.remove_prefix(3);
  } else {
    if (!rest.starts_with('p')) throw refuse();
    rest.remove_prefix(1);
    const auto percent = number_of(rest);
    if (!percent || *percent > 100) throw refuse();
    out.share = *percent / 100;
  }
  if (rest.empty() || (rest[0] != ':' && rest[0] != '<')) throw refuse();
  rest.remove_prefix(1);
  const auto time = number_of(rest);
  const double unit = rest == "us" ? 1e3 : rest == "ms" ? 1e6 : rest == "s" ? 1e9 : 0;
  if (!time || unit == 0 || *time == 0) throw refuse();
  out.nanoseconds = static_cast<std::uint64_t>(*time * unit);
  return out;
}

std::vector<double> parse_rates(const std::string& text) {
  const auto refuse = [&] {
    return Error(ErrorCode::usage,
                 fmt::format("--sweep-rate: '{}' (FROM:TO:STEP in steps a second, FROM not above "
                             "TO)",
                             text));
  };
  std::string_view rest = text;
  std::array<double, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) {
      if (!rest.starts_with(':')) throw refuse();
      rest.remove_prefix(1);
    }
    const auto number = number_of(rest);
    if (!number || *number <= 0) throw refuse();
    numbers[i] = *number;
  }
  const auto [from, to, step] = numbers;
  if (!rest.empty() || from > to || (to - from) / step > static_cast<double>(kMostRates))
    throw refuse();
  std::vector<double> rates;
  for (std::size_t i = 0; from + static_cast<double>(i) * step <= to * (1 + 1e-9); ++i)
    rates.push_back(from + static_cast<double>(i) * step);
  return rates;
}

}  // namespace toktier::replay
