// Every fault found so far, with its smallest input: corpora/regressions.

#include "encode/testing/regressions.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace toktier;

TEST_CASE("every regression holds") {
  const auto files = testing::regression_files();
  for (const auto& file : files) {
    testing::Regression r = testing::read_regression(file);
    CAPTURE(r.name);
    CHECK(r.name == r.id);
    r.options.want_spans = true;
    const Encoding got = r.tokenizer.encode(r.text, r.options);
    CHECK(got.ids == r.ids);
    if (r.spans) CHECK(got.spans == *r.spans);
    // The path that builds no spans is another one.
    r.options.want_spans = false;
    CHECK(r.tokenizer.encode(r.text, r.options).ids == r.ids);
    CHECK(r.tokenizer.count(r.text, r.options) == r.ids.size());
  }
  fmt::print("{} regressions\n", files.size());
  CHECK(files.size() >= 3);
}
