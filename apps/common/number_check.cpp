#include "apps/common/number_check.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>

namespace toktier::cli {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (!text.empty() && stop == end && error == std::errc() && value >= least && value <= most) {
      return {};
    }
    return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  };
  // No description: help texts would show it for every option.
  return CLI::Validator(check, "");
}

}  // namespace toktier::cli
