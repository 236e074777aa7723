// Charts: what is drawn, and that any text and any numbers give drawings.

#include "report/chart.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace toktier::report;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Every element that is opened is closed, in order.
bool balanced(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = svg.substr(at + 1, end - at - 1);
    if (tag.ends_with('/')) continue;
    const std::string name = tag.substr(0, tag.find(' '));
    if (name[0] != '/') {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("text that means something in HTML is escaped") {
  CHECK(html_escape("a<b>&\"'\x01\n") == "a&lt;b&gt;&amp;&quot;&#39; \n");
  CHECK(html_escape("caf\xC3\xA9") == "caf\xC3\xA9");
  const std::string chart = bar_chart("</svg><script>", {{"<b>", 1, "\"1\""}});
  CHECK(chart.find("<script>") == std::string::npos);
  CHECK(balanced(chart));
}

TEST_CASE("numbers are short") {
  CHECK(short_number(0, false) == "0");
  CHECK(short_number(950, false) == "950");
  CHECK(short_number(1500, false) == "1.5 K");
  CHECK(short_number(3e6, false) == "3 M");
  CHECK(short_number(1024, true) == "1 K");
  CHECK(short_number(65536, true) == "64 K");
}

TEST_CASE("lines have a point for each value that can be shown") {
  const Axis bytes{"bytes", true, true}, time{"us", true, false};
  const Series p50{"p50", {{1024, 5}, {65536, 6}, {0, 7}, {1 << 20, 0}}, false};
  const Series p99{"p99", {{1024, 50}}, false};
  const std::string chart = line_chart("Latency", bytes, time, {p50, p99});
  CHECK(balanced(chart));
  CHECK(count_of(chart, "<title>") == 3);
  CHECK(count_of(chart, "<polyline") == 2);
  CHECK(chart.find("64 K bytes, 6 us") != std::string::npos);
  CHECK(chart.find("nan") == std::string::npos);
  CHECK(line_chart("t", bytes, time, {}).empty());
  CHECK(line_chart("t", bytes, time, {{"p50", {{0, 0}}, false}}).empty());
  const Series dots{"sessions", {{1, 2}, {3, 4}}, true};
  CHECK(count_of(line_chart("t", {"x"}, {"y"}, {dots}), "<polyline") == 0);
}

TEST_CASE("a higher value stands higher, inside the drawing") {
  for (const bool logarithmic : {false, true}) {
    const Axis axis{"v", logarithmic, false};
    const std::string chart =
        line_chart("t", axis, axis, {{"s", {{1, 1}, {10, 10}, {977, 977}}, true}});
    double last_x = 0, last_y = INFINITY;
    std::size_t points = 0;
    for (std::size_t at = chart.find(" cx=\""); at != std::string::npos;
         at = chart.find(" cx=\"", at + 1)) {
      const double x = std::stod(chart.substr(at + 5));
      const double y = std::stod(chart.substr(chart.find(" cy=\"", at) + 5));
      CHECK(x > last_x);
      CHECK(y < last_y);
      CHECK(x <= 760);
      CHECK(y >= 0);
      last_x = x;
      last_y = y;
      ++points;
    }
    CHECK(points == 3);
  }
}

TEST_CASE("bars are as long as their values") {
  const std::string chart =
      column_chart("t", "x", "y", {{"a", 1, "1"}, {"b", 0, "0"}, {"c", 4, "4"}});
  CHECK(balanced(chart));
  CHECK(count_of(chart, "<rect") == 3);
  CHECK(column_chart("t", "x", "y", {}).empty());
  CHECK(bar_chart("t", {}).empty());
  const std::string nothing = column_chart("t", "x", "y", {{"a", 0, "0"}});
  CHECK(nothing.find("nan") == std::string::npos);
  CHECK(nothing.find("inf") == std::string::npos);
}
