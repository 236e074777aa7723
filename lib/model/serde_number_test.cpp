#include "model/serde_number.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

using toktier::model::serde_number;

TEST_CASE("numbers as the reference reads them") {
  CHECK(serde_number("0") == 0.0);
  CHECK(serde_number("-3") == -3.0);
  CHECK(serde_number("1.5e2") == 150.0);
  CHECK(serde_number("25E-1") == 2.5);
  // Seen in real files: the reference is one bit away from the nearest double.
  CHECK(serde_number("-11.198390007019043") == -11.198390007019045);
  CHECK(serde_number("-11.198390007019043") != std::strtod("-11.198390007019043", nullptr));
  CHECK(serde_number("-11.579366683959961") == -11.57936668395996);
  CHECK(serde_number("123456789012345678901234567890") == 1.2345678901234567e29);
  CHECK_FALSE(serde_number("1e309").has_value());
  CHECK(serde_number("0e999999999999") == 0.0);
  CHECK(serde_number("1e-400") == 0.0);
  CHECK(serde_number("1e-999999999999") == 0.0);
  CHECK(std::signbit(*serde_number("-0.0")));
}
