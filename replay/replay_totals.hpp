#pragma once
// Sums over carried out workloads. Value type.

#include "replay/driver.hpp"
#include "replay/statistics.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace toktier::replay {

inline constexpr std::size_t kWorkOps = 7;

/// Bands of text lengths in bytes: below 4 KiB, 16 KiB, ... 4 MiB, and above.
inline constexpr std::array<std::uint64_t, 6> kBandLimits = {
    std::uint64_t{4} << 10,   std::uint64_t{16} << 10, std::uint64_t{64} << 10,
    std::uint64_t{256} << 10, std::uint64_t{1} << 20,  std::uint64_t{4} << 20};
inline constexpr std::size_t kBands = kBandLimits.size() + 1;
std::size_t band_of(std::uint64_t bytes);
std::string_view band_name(std::size_t band);

struct OpTotals {
  std::uint64_t steps = 0, verified = 0, referenced = 0;
  std::uint64_t given = 0, encoded = 0;     ///< bytes
  std::uint64_t patches = 0, told_ids = 0;  ///< ids in patches
  std::uint64_t no_seam_before = 0, no_seam_behind = 0, score_moved = 0;
  std::array<Distribution, kBands> nanoseconds;  ///< by the length of the text before
  void merge(const OpTotals& other);
};

struct ReplayTotals {
  std::uint64_t sessions = 0;  ///< forks included
  std::uint64_t refused = 0, lost = 0, differences = 0;
  bool stopped = false;
  std::array<OpTotals, kWorkOps> ops;
  /// Appends of text to text. Those that found a seam encode what follows the last one; the others
  /// all of the text.
  std::uint64_t appends = 0, appends_without_seam = 0;
  Distribution append_bytes;       ///< given
  Distribution append_extra;       ///< encoded beyond what was given, where there was a seam
  Distribution without_seam_text;  ///< length of the text where there was none
  std::array<std::uint64_t, kBands> changes_by_band{}, verified_by_band{};
  /// Latency of appends of text by the text before: key k holds texts of 2^(k/2) bytes and more.
  std::map<unsigned, Distribution> append_nanoseconds;
  std::vector<SessionEnd> ends;
  Distribution memory;  ///< of a session at its end, bytes
  std::uint64_t end_bytes = 0, end_tokens = 0;
  std::uint64_t text_bytes = 0;  ///< of all texts after a step: what whole encodes would read

  /// Changes to a text that was there: all steps but open and close.
  std::uint64_t repairs() const;
  std::uint64_t verified_repairs() const;
  std::uint64_t steps() const;
  std::uint64_t verified() const;
  std::uint64_t referenced() const;
  /// Changes that are no append: edits, replacements, rewinds, forks.
  std::uint64_t verified_edits() const;
  std::uint64_t given() const;
  std::uint64_t encoded() const;

  void add(const WorkOutcome& outcome);
  void merge(const ReplayTotals& other);

 private:
  template <class Get>
  std::uint64_t sum(Get get) const;
};

}  // namespace toktier::replay
