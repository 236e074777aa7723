#include "base/beside.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using toktier::base::Beside;

TEST_CASE("work beside is done at join, and its failure is thrown there") {
  int done = 0;
  Beside work([&] { ++done; });
  work.join();
  CHECK(done == 1);
  work.join();
  CHECK(done == 1);
  Beside failing([] { throw std::runtime_error("no"); });
  CHECK_THROWS_AS(failing.join(), std::runtime_error);
  {
    const Beside dropped([&] { ++done; });
  }
  CHECK(done == 2);
}
