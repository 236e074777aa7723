#pragma once
// The contents of a vocabulary: token bytes by id, ids may have gaps. Built once, then immutable
// and shared.
//
// Not thread-safe while it is built; afterwards every const member may be called by any number of
// threads. Views returned by operator[] live as long as the Vocab and are invalidated by add().

#include "toktier/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::model {

inline constexpr TokenId kNoToken = 0xFFFFFFFF;
/// Largest id a loader accepts. The tables are indexed by id, so a file of a few bytes could
/// otherwise ask for gigabytes; the largest known vocabularies have fewer than two million entries.
inline constexpr TokenId kMaxTokenId = (TokenId{1} << 24) - 1;

class Vocab {
 public:
  void reserve(std::size_t tokens, std::size_t bytes);
  /// Adds one token. Returns false and changes nothing when the id is taken by other bytes, when
  /// the id is above kMaxTokenId, or when the bytes of all tokens together would reach 4 GiB. Two
  /// ids may hold the same bytes (the loader decides which one find() yields, see index()).
  bool add(TokenId id, std::string_view bytes);

  /// One past the largest id.
  TokenId end_id() const { return static_cast<TokenId>(begin_.size()); }
  std::size_t size() const { return count_; }  // tokens present
  bool has(TokenId id) const { return id < begin_.size() && begin_[id] != kAbsent; }
  /// Empty when absent.
  std::string_view operator[](TokenId id) const {
    return has(id) ? std::string_view(blob_).substr(begin_[id], length_[id]) : std::string_view{};
  }

  /// Builds the reverse index; call once after the last add(). For equal bytes the LATER add() wins
  /// (that is what a JSON object read into a map does).
  void index();
  /// Needs index(). kNoToken when absent.
  TokenId find(std::string_view bytes) const;
  /// find() for many strings at once, with the memory accesses overlapped; out.size() ==
  /// many.size().
  void find_many(std::span<const std::string_view> many, std::span<TokenId> out) const;

  /// Needs index(). Number of distinct byte strings (size() less the ids that share their bytes
  /// with a later one).
  std::size_t distinct() const { return distinct_; }
  /// Needs index(). Removes the ids that find() cannot yield because a later one holds the same
  /// bytes.
  void drop_shadowed();
  /// Longest token, bytes.
  std::size_t longest() const { return longest_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    TokenId id = kNoToken;
  };
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  bool build_slots();
  std::uint64_t hash(std::string_view bytes) const;
  TokenId probe(std::uint64_t hash, std::string_view bytes) const;

  std::string blob_;
  std::vector<std::uint32_t> begin_;   // by id
  std::vector<std::uint32_t> length_;  // by id
  std::vector<TokenId> order_;         // in order of add()
  std::size_t count_ = 0;
  std::size_t distinct_ = 0;
  std::size_t longest_ = 0;
  std::uint64_t seed_ = 0;
  std::vector<Slot> slots_;  // open addressing, power of two, at most half full
};

}  // namespace toktier::model
