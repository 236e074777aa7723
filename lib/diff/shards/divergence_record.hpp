#pragma once
// A record of toktier.divergence/1, read back. Value type; free functions are pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace toktier::diff::shards {

struct DivergenceRecord {
  std::string text;  // the record itself
  std::string id, cls, check, stage, model;
  std::string engine, reference;              // rows of the engine table
  std::string engine_label, reference_label;  // with name and version
  std::string document, origin;
  std::optional<std::uint64_t> line, record_byte, file_byte;
  std::uint64_t document_bytes = 0, index = 0, byte = 0;
  std::string input;  // bytes of the document, or around the place
  bool input_whole = true;
  std::optional<std::string> minimal;
  std::string actual, expected;
  std::uint64_t seed = 0;
  std::string repro;
  std::string special = "default";
  bool add_special = false, truncate = false;
  std::uint64_t rounds = 1;
  std::optional<std::uint64_t> unit;  // of a plan
  std::string source;                 // corpus or generator of the plan
  std::uint64_t occurrences = 1;

  /// The smallest text that shows it.
  const std::string& shown() const { return minimal ? *minimal : input; }
};

/// Error{input} when it is none; `where` is named.
DivergenceRecord parse_divergence(const std::string& json, const std::string& where);

/// Those of a file of lines (with or without sums), or of one JSON object; records of other kinds
/// are passed over. Error{input} when there is none.
std::vector<DivergenceRecord> read_divergences(const std::string& path);

}  // namespace toktier::diff::shards
