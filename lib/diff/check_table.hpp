#pragma once
// The checks a campaign can make, as rows. A process-wide constant.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff {

struct CheckRow {
  std::string_view name;
  std::string_view what;
  std::uint32_t part;  // Parts
};

std::span<const CheckRow> check_table();

/// From "ids,spans"; each once. Error{usage} on an unknown or empty name.
std::uint32_t parse_checks(std::string_view list);
/// "ids,spans", in table order.
std::string check_names(std::uint32_t parts);

}  // namespace toktier::diff
