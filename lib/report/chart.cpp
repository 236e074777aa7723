#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace toktier::report {
namespace {

// Places in the drawing, in its own units; the page scales it.
constexpr double kWidth = 760, kHeight = 340;
constexpr double kLeft = 72, kRight = 20, kTop = 48, kBottom = 52;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kPlotHeight = kHeight - kTop - kBottom;
constexpr std::size_t kColours = 4;

struct Tick {
  double value;
  std::string label;
};

/// From values to places, with ticks.
class Scale {
 public:
  Scale(const Axis& axis, double low, double high) : axis_(axis) {
    if (axis.logarithmic)
      make_logarithmic(low, high);
    else
      make_linear(high);
  }
  /// 0 at the low end, 1 at the high one.
  double at(double value) const {
    return axis_.logarithmic ? (std::log(value) - low_) / (high_ - low_)
                             : (value - low_) / (high_ - low_);
  }
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  void make_logarithmic(double low, double high) {
    const double base = axis_.binary ? 4 : 10;
    const double first = std::floor(std::log(low) / std::log(base) + 1e-9);
    const double last = std::max(first + 1, std::ceil(std::log(high) / std::log(base) - 1e-9));
    low_ = first * std::log(base);
    high_ = last * std::log(base);
    const double step = std::ceil((last - first) / 9);
    for (double power = first; power <= last; power += step) {
      const double value = std::pow(base, power);
      ticks_.push_back({value, short_number(value, axis_.binary)});
    }
  }
  void make_linear(double high) {
    if (high <= 0) high = 1;
    const double raw = high / 5;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double digit = raw / power;
    const double step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    low_ = 0;
    high_ = step * std::ceil(high / step);
    for (double value = 0; value <= high_ * (1 + 1e-9); value += step)
      ticks_.push_back({value, short_number(value, false)});
  }

  const Axis& axis_;
  double low_ = 0, high_ = 1;
  std::vector<Tick> ticks_;
};

double place_x(double share) { return kLeft + share * kPlotWidth; }
double place_y(double share) { return kTop + (1 - share) * kPlotHeight; }

std::string begin(const std::string& title, double height) {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n"
      "<text class=\"title\" x=\"{}\" y=\"20\">{}</text>\n",
      kWidth, height, html_escape(title), kLeft, html_escape(title));
}

void add_text(std::string& out, double x, double y, std::string_view anchor,
              std::string_view text) {
  fmt::format_to(std::back_inserter(out),
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                 html_escape(text));
}

void add_line(std::string& out, double x1, double y1, double x2, double y2) {
  fmt::format_to(std::back_inserter(out),
                 "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                 x1, y1, x2, y2);
}

void add_y_axis(std::string& out, const Scale& scale, const std::string& title) {
  for (const Tick& tick : scale.ticks()) {
    const double y = place_y(scale.at(tick.value));
    add_line(out, kLeft, y, kWidth - kRight, y);
    add_text(out, kLeft - 8, y + 4, "end", tick.label);
  }
  const double middle = kTop + kPlotHeight / 2;
  fmt::format_to(std::back_inserter(out),
                 "<text x=\"16\" y=\"{0:.1f}\" text-anchor=\"middle\" "
                 "transform=\"rotate(-90 16 {0:.1f})\">{1}</text>\n",
                 middle, html_escape(title));
}

std::string shown(double x, double y, const Axis& x_axis, const Axis& y_axis) {
  return fmt::format("{} {}, {} {}", short_number(x, x_axis.binary), x_axis.title,
                     short_number(y, y_axis.binary), y_axis.title);
}

bool can_show(const Axis& x, const Axis& y, const std::pair<double, double>& point) {
  return (!x.logarithmic || point.first > 0) && (!y.logarithmic || point.second > 0);
}

void add_series(std::string& out, const Series& one, std::size_t colour, const Scale& x,
                const Scale& y, const Axis& x_axis, const Axis& y_axis) {
  std::string path;
  std::string dots;
  for (const auto& point : one.points) {
    if (!can_show(x_axis, y_axis, point)) continue;
    const double px = place_x(x.at(point.first)), py = place_y(y.at(point.second));
    fmt::format_to(std::back_inserter(path), "{:.1f},{:.1f} ", px, py);
    fmt::format_to(std::back_inserter(dots),
                   "<circle class=\"s{}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}: "
                   "{}</title></circle>\n",
                   colour, one.dots ? " faint" : "", px, py, one.dots ? "2.5" : "3",
                   html_escape(one.name),
                   html_escape(shown(point.first, point.second, x_axis, y_axis)));
  }
  if (!one.dots)
    fmt::format_to(std::back_inserter(out), "<polyline class=\"l{}\" points=\"{}\"/>\n", colour,
                   path);
  out += dots;
}

}  // namespace

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == '\x7F' ? ' ' : c;
    }
  }
  return out;
}

std::string short_number(double value, bool binary) {
  static constexpr std::array<const char*, 5> kUnits = {"", " K", " M", " G", " T"};
  const double base = binary ? 1024 : 1000;
  std::size_t unit = 0;
  while (value >= base && unit + 1 < kUnits.size()) {
    value /= base;
    ++unit;
  }
  return fmt::format("{:.3g}{}", value, kUnits[unit]);
}

std::string line_chart(const std::string& title, const Axis& x, const Axis& y,
                       const std::vector<Series>& series) {
  double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
  for (const Series& one : series) {
    for (const auto& point : one.points) {
      if (!can_show(x, y, point)) continue;
      low_x = std::min(low_x, point.first);
      high_x = std::max(high_x, point.first);
      low_y = std::min(low_y, point.second);
      high_y = std::max(high_y, point.second);
    }
  }
  if (low_x > high_x) return {};
  const Scale scale_x(x, low_x, high_x), scale_y(y, low_y, high_y);
  std::string out = begin(title, kHeight);
  add_y_axis(out, scale_y, y.title);
  for (const Tick& tick : scale_x.ticks())
    add_text(out, place_x(scale_x.at(tick.value)), kTop + kPlotHeight + 18, "middle", tick.label);
  add_text(out, kLeft + kPlotWidth / 2, kHeight - 12, "middle", x.title);
  double legend = kLeft;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::size_t colour = i % kColours + 1;
    add_series(out, series[i], colour, scale_x, scale_y, x, y);
    if (series.size() < 2) continue;
    fmt::format_to(std::back_inserter(out),
                   "<circle class=\"s{}\" cx=\"{:.1f}\" cy=\"36\" r=\"4\"/>\n", colour, legend + 4);
    add_text(out, legend + 14, 40, "start", series[i].name);
    legend += 40 + 7.5 * static_cast<double>(series[i].name.size());
  }
  return out + "</svg>\n";
}

std::string column_chart(const std::string& title, const std::string& x_title,
                         const std::string& y_title, const std::vector<Bar>& bars) {
  if (bars.empty()) return {};
  double high = 0;
  for (const Bar& bar : bars) high = std::max(high, bar.value);
  const Axis axis{y_title, false, false};
  const Scale scale(axis, 0, high);
  std::string out = begin(title, kHeight);
  add_y_axis(out, scale, y_title);
  const double step = kPlotWidth / static_cast<double>(bars.size());
  const auto every = static_cast<std::size_t>(std::ceil(52 / step));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double left = kLeft + step * static_cast<double>(i);
    const double y = place_y(scale.at(bars[i].value));
    fmt::format_to(std::back_inserter(out),
                   "<rect class=\"s1\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                   "height=\"{:.1f}\"><title>{}: {}</title></rect>\n",
                   left + 1, y, std::max(1.0, step - 2), kTop + kPlotHeight - y,
                   html_escape(bars[i].label), html_escape(bars[i].shown));
    if (i % every == 0)
      add_text(out, left + step / 2, kTop + kPlotHeight + 18, "middle", bars[i].label);
  }
  add_text(out, kLeft + kPlotWidth / 2, kHeight - 12, "middle", x_title);
  return out + "</svg>\n";
}

std::string bar_chart(const std::string& title, const std::vector<Bar>& bars) {
  if (bars.empty()) return {};
  constexpr double kRow = 26, kLabels = 190, kValues = 110;
  double high = 0;
  for (const Bar& bar : bars) high = std::max(high, bar.value);
  const double height = kTop + kRow * static_cast<double>(bars.size()) + 12;
  std::string out = begin(title, height);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = kTop - 8 + kRow * static_cast<double>(i);
    const double width =
        high > 0 ? (kWidth - kLabels - kValues) * std::max(0.0, bars[i].value) / high : 0;
    add_text(out, kLabels - 8, y + 14, "end", bars[i].label);
    fmt::format_to(std::back_inserter(out),
                   "<rect class=\"s1\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"18\"/>\n",
                   kLabels, y, std::max(1.0, width));
    add_text(out, kLabels + width + 8, y + 14, "start", bars[i].shown);
  }
  return out + "</svg>\n";
}

}  // namespace toktier::report
