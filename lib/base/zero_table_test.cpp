#include "base/zero_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

using toktier::base::ZeroTable;

TEST_CASE("a table begins as zeros, aligned, small or large, and keeps what is written") {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 18, (std::size_t{1} << 19) + 3}) {
    for (int round = 0; round < 2; ++round) {  // memory that was used before
      ZeroTable<std::uint64_t> table(size);
      REQUIRE(table.size() == size);
      CHECK(reinterpret_cast<std::uintptr_t>(&table[0]) % 64 == 0);
      std::uint64_t any = 0;
      for (std::size_t i = 0; i < size; ++i) any |= table[i];
      CHECK(any == 0);
      for (std::size_t i = 0; i < size; ++i) table[i] = i + 1;
      ZeroTable<std::uint64_t> moved(std::move(table));
      CHECK(moved[size - 1] == size);
    }
  }
}
