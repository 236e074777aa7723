#pragma once
// Choices that look random and depend on a seed and names alone, so that order and threads do not
// matter. Pure functions.

#include <cstdint>
#include <string_view>

namespace toktier::replay {

/// A stream of numbers from one (splitmix64): changes `state`.
std::uint64_t next_random(std::uint64_t& state);
/// A number of a text (FNV-1a): a seed, no fingerprint.
std::uint64_t seed_of(std::string_view text);
/// True for about `share` of all (seed, what, index).
bool chosen(std::uint64_t seed, std::string_view what, std::uint64_t index, double share);

}  // namespace toktier::replay
