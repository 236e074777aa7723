#pragma once
// Charts as inline SVG, without scripts, fonts or colours of their own: colours are the CSS
// variables --series-1 .. --series-4, --ink, --soft and --line of the page, so that light and dark
// are the page's business. Pure functions.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toktier::report {

/// For text and attribute values: & < > " and '. Control characters, which no HTML may hold, become
/// blanks.
std::string html_escape(std::string_view text);

struct Axis {
  std::string title;
  /// Ticks at powers of ten (values at or below 0 are left out), else at round steps from 0.
  bool logarithmic = false;
  /// Bytes: ticks at powers of 2 (1 K, 16 K, 1 M); needs `logarithmic`.
  bool binary = false;
};

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< in the order in which they are joined
  bool dots = false;                              ///< points alone
};

/// Lines or dots over two axes, with a legend when there are several. "" when no point can be
/// shown.
std::string line_chart(const std::string& title, const Axis& x, const Axis& y,
                       const std::vector<Series>& series);

struct Bar {
  std::string label;
  double value = 0;   ///< >= 0
  std::string shown;  ///< the value as text
};
/// Bars from left to right on one axis from 0; labels below, thinned out where they would touch.
std::string column_chart(const std::string& title, const std::string& x_title,
                         const std::string& y_title, const std::vector<Bar>& bars);
/// Bars below each other, label at the left, the value behind each.
std::string bar_chart(const std::string& title, const std::vector<Bar>& bars);

/// "1.5 K", "3 M": with powers of 1024, or of 1000.
std::string short_number(double value, bool binary);

}  // namespace toktier::report
