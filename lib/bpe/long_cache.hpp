#pragma once
// Ids of pieces and segments of 16 to 1,024 bytes, bounded, per worker: rules of dashes, indents
// and long names come again and again. Full key compare: nothing is answered from a hash.
//
// Bytes and ids lie in a ring; what is old is overwritten. Positions count on for ever, so an entry
// whose bytes are gone is known by its age.

#include "toktier/types.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace toktier::bpe {

class LongCache {
 public:
  static constexpr std::size_t kShortest = 16, kLongest = 1024;

  /// A budget of 0 switches it off.
  explicit LongCache(std::size_t budget_bytes);

  /// Empty when not known. `space` (below 2^16) separates keys of equal bytes. Valid until the next
  /// insert().
  std::span<const TokenId> find(std::string_view bytes, unsigned space) const;
  /// Remembers ids of bytes that find() does not know.
  void insert(std::string_view bytes, unsigned space, std::span<const TokenId> ids);

  std::size_t bytes() const {
    return slots_.size() * sizeof(Slot) + ring_.size() * sizeof(std::uint32_t);
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t at = 0;               // in words since the beginning of time
    std::uint32_t length = 0, ids = 0;  // length in bytes, the key's space above bit 16
  };
  bool alive(const Slot& s) const { return s.length != 0 && head_ - s.at <= ring_.size(); }
  static std::uint64_t hash_of(std::string_view bytes, unsigned space);
  const Slot* look(std::uint64_t hash, std::uint32_t length, std::string_view bytes) const;
  Slot& place(std::uint64_t hash);
  void grow_slots();

  std::size_t most_words_, most_slots_;
  std::vector<std::uint32_t> ring_;
  std::vector<Slot> slots_;
  std::uint64_t head_ = 0;
  std::size_t used_ = 0;
};

}  // namespace toktier::bpe
