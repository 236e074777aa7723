// Generated sessions have the sizes, the share of cold calls and the times that were asked for.

#include "replay/generator.hpp"

#include "replay/neutral_writer.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace toktier;
using namespace toktier::replay;

namespace {

Statistics made(const GeneratorPlan& plan) {
  TextSupply text(plan.seed, {std::string(1000, 'x') + "\xC3\xA9"});
  StatisticsSink sink;
  generate(plan, text, sink);
  return sink.total();
}

bool near(double value, double wanted, double by) {
  return std::abs(value - wanted) <= by * wanted;
}

std::string lines(const GeneratorPlan& plan) {
  std::string all;
  NeutralWriter writer([&all](std::string_view line) { all += line; });
  TextSupply text(plan.seed);
  generate(plan, text, writer);
  return all;
}

}  // namespace

TEST_CASE("sizes by median and 90th percentile") {
  CHECK(near(normal_quantile(0.5) + 1, 1, 1e-8));
  CHECK(near(normal_quantile(0.9), 1.2815515655, 1e-8));
  CHECK(near(-normal_quantile(0.01), 2.3263478740, 1e-8));
  const SizeLaw law(1400, 11000);
  CHECK(near(static_cast<double>(law.at(0.5)), 1400, 0.01));
  CHECK(near(static_cast<double>(law.at(0.9)), 11000, 0.01));
  CHECK(law.at(0) == 0);
  CHECK(law.at(1) > 1'000'000);
  Distribution met;
  for (const std::uint64_t value : {7, 3, 5}) met.add(value);
  CHECK(SizeLaw(met).at(0) == 3);
  CHECK(SizeLaw(met).at(0.5) == 5);
  CHECK(SizeLaw(met).at(0.99) == 7);
  CHECK_THROWS_AS(SizeLaw(0, 1), Error);
  CHECK_THROWS_AS(SizeLaw(5, 4), Error);
  CHECK_THROWS_AS(SizeLaw(Distribution{}), Error);
}

TEST_CASE("sizes and cold calls come out as planned") {
  GeneratorPlan plan;
  plan.sessions = 400;
  plan.context = SizeLaw(100'000, 400'000);
  plan.seed = 11;
  for (const double cold : {0.05, 0.2}) {
    plan.cold = cold;
    const Statistics s = made(plan);
    CHECK(s.sessions == 400);
    CHECK(near(static_cast<double>(s.append_chars.quantile(0.5)), 1400, 0.08));
    CHECK(near(static_cast<double>(s.append_chars.quantile(0.9)), 11000, 0.08));
    CHECK(near(static_cast<double>(s.cold_calls) / static_cast<double>(s.calls), cold, 0.15));
    CHECK(near(static_cast<double>(s.all_chars.quantile(0.5)), 100'000, 0.25));
    CHECK(s.calls == s.recorded_calls);
    CHECK(s.gaps.total > 0);
    CHECK(s.gaps.backwards == 0);
  }
}

TEST_CASE("the seed alone decides") {
  GeneratorPlan plan;
  plan.sessions = 3;
  plan.context = SizeLaw(5000, 20000);
  const std::string first = lines(plan);
  CHECK(first == lines(plan));
  plan.seed = 1;
  CHECK(first != lines(plan));
}

TEST_CASE("text has exactly the characters asked for") {
  TextSupply made_text(3);
  TextSupply cut(3, {"caf\xC3\xA9 \xE6\xBC\xA2", "x", ""});
  for (const std::uint64_t count : {0, 1, 2, 7, 100, 5000}) {
    for (TextSupply* supply : {&made_text, &cut}) {
      const std::string text = supply->take(count);
      CHECK(!unicode::find_invalid_utf8(text));
      CHECK(unicode::count_code_points(text) == count);
    }
  }
  CHECK_THROWS_AS(TextSupply(1, {"", ""}), Error);
}

TEST_CASE("a signal ends generation") {
  const std::atomic<bool> stop = true;
  GeneratorPlan plan;
  TextSupply text(1);
  StatisticsSink sink;
  generate(plan, text, sink, &stop);
  CHECK(sink.total().sessions == 0);
}
