#include "model/serde_number.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace toktier::model {
namespace {

constexpr int kLargestPower = 308;

std::array<double, kLargestPower + 1> make_powers() {
  std::array<double, kLargestPower + 1> out{};
  for (int i = 0; i <= kLargestPower; ++i) {
    // Correctly rounded, as compile-time literals are.
    out[static_cast<std::size_t>(i)] = std::strtod(("1e" + std::to_string(i)).c_str(), nullptr);
  }
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True when significand * 10 + digit does not fit in 64 bits.
bool overflows(std::uint64_t significand, std::uint64_t digit) {
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  return significand >= kMax / 10 && (significand > kMax / 10 || digit > kMax % 10);
}

std::optional<double> scale(std::uint64_t significand, std::int64_t exponent) {
  static const std::array<double, kLargestPower + 1> kPowers = make_powers();
  auto value = static_cast<double>(significand);
  for (;;) {
    const std::int64_t size = exponent < 0 ? -exponent : exponent;
    if (size <= kLargestPower) {
      const double power = kPowers[static_cast<std::size_t>(size)];
      value = exponent >= 0 ? value * power : value / power;
      if (std::isinf(value)) return std::nullopt;
      return value;
    }
    if (value == 0) return value;
    if (exponent >= 0) return std::nullopt;
    value /= 1e308;
    exponent += kLargestPower;
  }
}

}  // namespace

std::optional<double> serde_number(std::string_view text) {
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) ++at;
  std::uint64_t significand = 0;
  std::int64_t exponent = 0;
  bool full = false;  // further digits no longer count
  for (; at < text.size() && is_digit(text[at]); ++at) {
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    full = full || overflows(significand, digit);
    if (full) {
      ++exponent;
    } else {
      significand = significand * 10 + digit;
    }
  }
  if (at < text.size() && text[at] == '.') {
    // A fraction tries again after a long integer part, exactly as the reference's reader does.
    full = false;
    for (++at; at < text.size() && is_digit(text[at]); ++at) {
      const auto digit = static_cast<std::uint64_t>(text[at] - '0');
      full = full || overflows(significand, digit);
      if (full) continue;
      significand = significand * 10 + digit;
      --exponent;
    }
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool down = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    std::int64_t power = 0;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      if (power < 1'000'000'000) power = power * 10 + (text[at] - '0');
    }
    exponent += down ? -power : power;
  }
  // Far below the smallest number the loop in scale() would only divide zero again and again.
  if (exponent < -100'000) return negative ? -0.0 : 0.0;
  const std::optional<double> value = scale(significand, exponent);
  if (!value) return std::nullopt;
  return negative ? -*value : *value;
}

}  // namespace toktier::model
