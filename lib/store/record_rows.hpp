#pragma once
// A record as it lies in the tables, and the checksum that holds it together.

#include "store/digest.hpp"
#include "store/leaf_codec.hpp"
#include "store/maker.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::store {

struct PartRow {
  std::int64_t leaf = 0;
  LeafOutline outline;
  Digest digest{};  // of the leaf's bytes
  bool same_as(const PartRow& other) const;
};

struct RecordRow {
  std::int64_t id = 0;
  std::string name;
  Maker maker;
  std::int64_t format = 0;
  std::int64_t used = 0;  // microseconds, no two records the same
  std::int64_t size = 0;  // what the budget counts, beside the leaves
  std::uint64_t bytes = 0;
  std::uint64_t tokens = 0;
  std::uint64_t parts = 0;
  std::string marks;
  std::string digest;
};

/// What the budget counts for a leaf of so many packed bytes.
std::int64_t leaf_size(std::size_t packed);
/// Over everything that the ids of the record depend on.
Digest record_digest(const RecordRow& record, const std::vector<PartRow>& parts);
/// Sizes add up and the checksum is right.
bool holds_together(const RecordRow& record, const std::vector<PartRow>& parts);

}  // namespace toktier::store
