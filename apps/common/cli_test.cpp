#include "apps/common/exit_code.hpp"
#include "apps/common/number_check.hpp"
#include "apps/common/program.hpp"
#include "apps/common/progress.hpp"
#include "report/nearest_name.hpp"

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include <iterator>

using namespace toktier;
using namespace toktier::cli;

TEST_CASE("the worst exit code wins, in the order of the table") {
  const ExitCode order[] = {ExitCode::internal,    ExitCode::divergence, ExitCode::usage,
                            ExitCode::unavailable, ExitCode::input,      ExitCode::stopped,
                            ExitCode::ok};
  for (std::size_t i = 0; i < std::size(order); ++i) {
    for (std::size_t k = i; k < std::size(order); ++k) {
      CHECK(worse(order[i], order[k]) == order[i]);
      CHECK(worse(order[k], order[i]) == order[i]);
    }
  }
  CHECK(exit_code_of(ErrorCode::unsupported) == ExitCode::unavailable);
  CHECK(exit_code_of(ErrorCode::input) == ExitCode::input);
}

TEST_CASE("progress lines") {
  CHECK(progress_text("x", "B", 500, 1000, 5, "2 differences") ==
        "x  50% 500 B/1.0 kB  100 B/s  ETA 5s  2 differences");
  CHECK(progress_text("x", "docs", 1500, 0, 1, "") == "x  1.5 kdocs  1.5 kdocs/s");
  CHECK(duration_text(59.9) == "59s");
  CHECK(duration_text(61) == "1m01s");
  CHECK(duration_text(7300) == "2h01m");
  CHECK_THROWS_AS(Progress("sometimes", false), Error);
}

TEST_CASE("misspelt names find their neighbour") {
  const std::string known[] = {"run", "list", "--check", "--against"};
  CHECK(report::edit_distance("abc", "acb") == 1);
  CHECK(report::edit_distance("", "abc") == 3);
  CHECK(report::nearest_name("--chekc", known) == "--check");
  CHECK(report::nearest_name("lsit", known) == "list");
  CHECK(report::nearest_name("elephant", known).empty());
}

TEST_CASE("whole numbers have digits only and a range") {
  const CLI::Validator check = whole_number(1, 100);
  for (std::string good : {"1", "100", "007"}) CHECK(check(good).empty());
  for (std::string bad :
       {"0", "101", "-1", "+1", "1.5", "1e2", "", " 1", "0x1", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK(check(bad).find("'" + bad + "' is not a whole number from 1 to 100") == 0);
  }
}
