#pragma once
// Which steps of a workload are verified against a cold encode of the whole text. Value type.

#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::replay {

/// The choice for a step depends on seed, session (its name, without folders) and number of the
/// step alone.
struct Verification {
  enum class Kind : std::uint8_t {
    none,
    sample,  ///< a share of the steps
    all,
    within,  ///< all whose text has at most `bytes`; of longer texts the share bytes/length, and
             ///< the last text of each session: the work is bounded for each step
  };
  Kind kind = Kind::all;
  double share = 1;         ///< of `sample`
  std::uint64_t bytes = 0;  ///< of `within`
  double reference = 0;     ///< share also asked of a reference engine, lowered in the same way
  std::uint64_t seed = 0;

  bool wants(std::string_view session, std::uint64_t step, std::uint64_t text_bytes,
             bool last) const;
  bool wants_reference(std::string_view session, std::uint64_t step,
                       std::uint64_t text_bytes) const;
  /// As on the command line.
  std::string text() const;
};

/// "none", "all", "sample:0.01", "within:65536" (also k, m). Error{usage} for anything else.
Verification parse_verification(const std::string& text);

}  // namespace toktier::replay
