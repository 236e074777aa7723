#include "replay/times.hpp"

#include <chrono>
#include <cmath>

namespace toktier::replay {
namespace {

/// Reads exactly `digits` digits at `at`; nothing when there are none.
std::optional<int> number(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool is(std::string_view text, std::size_t at, char c) { return at < text.size() && text[at] == c; }

}  // namespace

std::optional<std::int64_t> parse_clock(std::string_view text) {
  const auto h = number(text, 0, 2), m = number(text, 3, 2), s = number(text, 6, 2);
  if (!h || !m || !s || !is(text, 2, ':') || !is(text, 5, ':')) return std::nullopt;
  if (*h > 23 || *m > 59 || *s > 60) return std::nullopt;
  std::int64_t ms = (std::int64_t{*h} * 3600 + *m * 60 + *s) * 1000;
  if (is(text, 8, '.')) {
    std::int64_t unit = 100;
    for (std::size_t i = 9; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, unit /= 10)
      ms += unit * (text[i] - '0');
  }
  return ms;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto y = number(text, 0, 4), mo = number(text, 5, 2), d = number(text, 8, 2);
  if (!y || !mo || !d || !is(text, 4, '-') || !is(text, 7, '-')) return std::nullopt;
  const std::chrono::year_month_day day{std::chrono::year(*y),
                                        std::chrono::month(static_cast<unsigned>(*mo)),
                                        std::chrono::day(static_cast<unsigned>(*d))};
  if (!day.ok()) return std::nullopt;
  std::int64_t ms = std::chrono::sys_days(day).time_since_epoch().count() * std::int64_t{86400000};
  if (text.size() == 10) return ms;
  if (!is(text, 10, 'T') && !is(text, 10, ' ')) return std::nullopt;
  const auto clock = parse_clock(text.substr(11));
  if (!clock) return std::nullopt;
  ms += *clock;
  std::size_t at = 19;
  if (is(text, at, '.')) {
    ++at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  }
  if (is(text, at, ' ')) ++at;
  if (is(text, at, '+') || is(text, at, '-')) {
    const auto zh = number(text, at + 1, 2);
    const auto zm = number(text, is(text, at + 3, ':') ? at + 4 : at + 3, 2);
    if (!zh) return std::nullopt;
    const std::int64_t shift = (std::int64_t{*zh} * 60 + zm.value_or(0)) * 60000;
    ms += text[at] == '+' ? -shift : shift;
  }
  return ms;
}

std::optional<std::int64_t> time_of_number(double number) {
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  double ms = number * 1000;
  if (number >= 1e17) {
    ms = number / 1e6;
  } else if (number >= 1e14) {
    ms = number / 1e3;
  } else if (number >= 1e11) {
    ms = number;
  }
  if (ms > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(ms);
}

}  // namespace toktier::replay
