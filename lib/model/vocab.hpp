#pragma once
// The contents of a vocabulary: token bytes by id, ids may have gaps. Built once, then immutable and shared.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toktier/types.hpp"

namespace toktier::model {

inline constexpr TokenId kNoToken = 0xFFFFFFFF;

class Vocab {
 public:
  void reserve(std::size_t tokens, std::size_t bytes);
  /// Adds one token. Returns false and changes nothing when the id is taken by other bytes.
  /// Two ids may hold the same bytes (the loader decides which one find() yields, see index()).
  bool add(TokenId id, std::string_view bytes);

  /// One past the largest id.
  TokenId end_id() const { return static_cast<TokenId>(begin_.size()); }
  std::size_t size() const { return count_; }  // tokens present
  bool has(TokenId id) const { return id < begin_.size() && begin_[id] != kAbsent; }
  /// Empty when absent.
  std::string_view operator[](TokenId id) const {
    return has(id) ? std::string_view(blob_).substr(begin_[id], length_[id]) : std::string_view{};
  }

  /// Builds the reverse index; call once after the last add(). For equal bytes the LATER add() wins (that is what
  /// a JSON object read into a map does).
  void index();
  /// Needs index(). kNoToken when absent.
  TokenId find(std::string_view bytes) const;

 private:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;
  std::string blob_;
  std::vector<std::uint32_t> begin_;   // by id
  std::vector<std::uint32_t> length_;  // by id
  std::vector<TokenId> order_;         // in order of add()
  std::size_t count_ = 0;
  std::vector<TokenId> slots_;  // open addressing, power of two
};

}  // namespace toktier::model
