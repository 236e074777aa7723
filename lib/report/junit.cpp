#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace toktier::report {
namespace {

/// XML 1.0 has no control characters but tab and newlines, in no spelling.
std::string xml(std::string_view text) {
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
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += "\xEF\xBF\xBD";
        else
          out += c;
    }
  }
  return out;
}

}  // namespace

std::string junit_text(std::string_view suite, const std::vector<JunitCase>& cases) {
  const auto count = [&](auto&& which) { return std::count_if(cases.begin(), cases.end(), which); };
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\" errors=\"0\">\n",
      xml(suite), cases.size(), count([](const JunitCase& c) { return !c.failure.empty(); }),
      count([](const JunitCase& c) { return !c.skipped.empty(); }));
  for (const JunitCase& c : cases) {
    fmt::format_to(std::back_inserter(out),
                   "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", xml(c.group),
                   xml(c.name), c.seconds);
    if (!c.failure.empty()) {
      const std::string_view message(c.failure.data(),
                                     std::min(c.failure.find('\n'), c.failure.size()));
      fmt::format_to(std::back_inserter(out),
                     ">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n", xml(message),
                     xml(c.failure));
    } else if (!c.skipped.empty()) {
      fmt::format_to(std::back_inserter(out), "><skipped message=\"{}\"/></testcase>\n",
                     xml(c.skipped));
    } else {
      out += "/>\n";
    }
  }
  return out + "</testsuite>\n";
}

}  // namespace toktier::report
