#pragma once
// Results as JUnit XML, the form that CI systems read. Value types.

#include <string>
#include <string_view>
#include <vector>

namespace toktier::report {

struct JunitCase {
  std::string group, name;  // classname and name
  std::string failure;      // empty: passed; the first line is the message
  std::string skipped;      // why it was not run; empty: it was
  double seconds = 0;
};

/// A whole document of one suite. Text that XML cannot hold is written as U+FFFD.
std::string junit_text(std::string_view suite, const std::vector<JunitCase>& cases);

}  // namespace toktier::report
