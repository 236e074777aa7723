#pragma once
// Times as transcripts write them. Pure functions.

#include <cstdint>
#include <optional>
#include <string_view>

namespace toktier::replay {

/// "2026-03-21T10:05:59.326Z", "2025-04-30 16:31:22", "...+02:00": milliseconds since 1970 UTC. A
/// time without zone is taken as UTC. Nothing for other forms and for days that do not exist.
std::optional<std::int64_t> parse_time(std::string_view text);

/// "20:56:21": milliseconds of the day.
std::optional<std::int64_t> parse_clock(std::string_view text);

/// A number of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by its
/// size (any year from 1973 to 2280): milliseconds. Smaller ones are taken as seconds.
std::optional<std::int64_t> time_of_number(double number);

}  // namespace toktier::replay
