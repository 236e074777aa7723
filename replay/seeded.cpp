#include "replay/seeded.hpp"

namespace toktier::replay {

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

std::uint64_t seed_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

bool chosen(std::uint64_t seed, std::string_view what, std::uint64_t index, double share) {
  if (share >= 1) return true;
  std::uint64_t state = seed ^ seed_of(what) ^ (index * 0x9E3779B97F4A7C15ULL);
  (void)next_random(state);
  constexpr double kScale = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(next_random(state) >> 11) * kScale < share;
}

}  // namespace toktier::replay
