#pragma once
// Which leaves in memory are which rows of a file. A leaf that is known here does not change, for
// the sessions that share it see another owner; so what is written once need not be looked at
// again. Leaves that nobody else holds are given up from time to time.

#include "session/state.hpp"
#include "store/digest.hpp"

#include <cstdint>
#include <unordered_map>

namespace toktier::store {

class KnownLeaves {
 public:
  struct Known {
    session::State::Leaf leaf;  // `begins` is meaningless here
    std::int64_t row = 0;
    Digest digest{};
    std::int64_t size = 0;  // as the budget counts it
  };

  const Known* find(const session::State::Leaf& leaf) const;
  const Known* find(std::int64_t row) const;
  void add(const session::State::Leaf& leaf, std::int64_t row, const Digest& digest,
           std::int64_t size);
  void forget(std::int64_t row);

 private:
  void give_up_unused();
  std::unordered_map<std::int64_t, Known> rows_;
  std::unordered_map<const void*, std::int64_t> leaves_;
  std::size_t next_ = kUnused;  // leaves at which unused ones are given up
  static constexpr std::size_t kUnused = 1024;
};

}  // namespace toktier::store
