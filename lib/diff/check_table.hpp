#pragma once
// The checks a campaign can make, as rows. A process-wide constant.

#include "diff/ways/way.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff {

/// A check compares a part of the answers of two engines, or it is a way: our engine's ids against
/// those that come out on another road.
struct CheckRow {
  std::string_view name;
  std::string_view what;
  std::uint32_t part;            // of Parts, or a bit of its own from kFirstWay on
  ways::MakeWay make = nullptr;  // ways only
};
inline constexpr std::uint32_t kFirstWay = 1U << 8;

std::span<const CheckRow> check_table();

/// From "ids,spans"; each once; "all" is every one. Error{usage} on an unknown or empty name.
std::uint32_t parse_checks(std::string_view list);
/// "ids,spans", in table order.
std::string check_names(std::uint32_t parts);

}  // namespace toktier::diff
