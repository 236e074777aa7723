#include "report/junit.hpp"

#include <doctest/doctest.h>

using namespace toktier::report;

TEST_CASE("cases passed, failed and skipped") {
  const std::string text =
      junit_text("a <suite> & \"more\"", {{"g", "one", "", "", 0.5},
                                          {"g", "two", "first line\nmore \x01", "", 0},
                                          {"g", "three", "", "no file", 0}});
  CHECK(text ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"a &lt;suite&gt; &amp; &quot;more&quot;\" tests=\"3\" failures=\"1\" "
        "skipped=\"1\" errors=\"0\">\n"
        "  <testcase classname=\"g\" name=\"one\" time=\"0.500\"/>\n"
        "  <testcase classname=\"g\" name=\"two\" time=\"0.000\">\n"
        "    <failure message=\"first line\">first line&#10;more \xEF\xBF\xBD</failure>\n"
        "  </testcase>\n"
        "  <testcase classname=\"g\" name=\"three\" time=\"0.000\"><skipped message=\"no "
        "file\"/></testcase>\n"
        "</testsuite>\n");
}
