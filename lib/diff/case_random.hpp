#pragma once
// Random numbers of a case: splitmix64 (Steele, Lea, Flood 2014) started from (seed, index), so
// that cases do not depend on each other, on threads or on machines.

#include <cstdint>

namespace toktier::diff {

class CaseRandom {
 public:
  CaseRandom(std::uint64_t seed, std::uint64_t index)
      : state_(seed * 0x9E3779B97F4A7C15ULL + index * 0xD1B54A32D192ED03ULL) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  /// n > 0.
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace toktier::diff
