#include "flow/ordered.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using toktier::flow::run_ordered;

TEST_CASE("results come in input order for every number of jobs") {
  for (const unsigned jobs : {1U, 2U, 5U}) {
    int next = 0;
    std::vector<int> out;
    run_ordered<int>(
        jobs, [&]() { return next < 500 ? std::make_shared<int>(next++) : nullptr; },
        [](int& v) {
          if (v % 7 == 0) std::this_thread::yield();
          v *= 3;
        },
        [&](int& v) { out.push_back(v); });
    REQUIRE(out.size() == 500);
    for (int i = 0; i < 500; ++i) REQUIRE(out[static_cast<std::size_t>(i)] == 3 * i);
  }
}

TEST_CASE("an exception of a stage reaches the caller and stops reading") {
  for (const unsigned jobs : {1U, 3U}) {
    std::atomic<int> read_count{0};
    CHECK_THROWS_AS(
        run_ordered<int>(
            jobs,
            [&]() { return read_count < 100000 ? std::make_shared<int>(read_count++) : nullptr; },
            [](int& v) {
              if (v == 50) throw std::runtime_error("planted");
            },
            [](int&) {}),
        std::runtime_error);
    CHECK(read_count < 100000);
  }
}
