#pragma once
// What a unit gave, as one line of a shard's log. Value type; free functions are pure.

#include "diff/campaign.hpp"
#include "diff/engine.hpp"

#include <cstdint>
#include <string>

namespace toktier::diff::shards {

struct UnitResult {
  std::uint64_t unit = 0;       // of the plan
  std::string plan;             // the plan's digest
  std::string status;           // compared, refused
  std::string reason;           // of a refusal
  std::uint64_t described = 0;  // divergences written to the shard's file for this unit
  EngineIdentity engine, reference;
  Verdict verdict;

  /// Equal but for what may differ between two runs of the same unit: times, use of stored answers,
  /// restarts of workers.
  bool same_findings(const UnitResult& other) const;
};

/// One line without its end.
std::string unit_line(const UnitResult& result);
/// Error{input} when it is none.
UnitResult parse_unit(const std::string& line, const std::string& where);

/// Bits as text: base64 of bytes, bit k of the whole is bit k % 8 of byte k / 8.
std::string bits_text(const std::vector<bool>& bits);

}  // namespace toktier::diff::shards
