#pragma once
// Aligned columns for a person, from cells given as text. Value type.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::report {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns);
  /// Missing cells are empty, more cells than columns throw Error{internal}. Control characters
  /// become blanks.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Title row and rows, two blanks between columns, no blanks at line ends.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// 1234567 -> "1,234,567".
std::string grouped(std::uint64_t number);

}  // namespace toktier::report
