#include "diff/check_table.hpp"

#include "diff/engine.hpp"
#include "report/nearest_name.hpp"

#include <array>

namespace toktier::diff {
namespace {

constexpr std::array<CheckRow, 4> kChecks = {{
    {"ids", "token ids are equal", kIds},
    {"spans", "the byte range of each token is equal", kSpans},
    {"pieces", "the byte ranges of pre-tokens and added tokens are equal", kPieces},
    {"decode", "the ids, where equal, decode to the same bytes", kDecode},
}};

}  // namespace

std::span<const CheckRow> check_table() { return kChecks; }

std::uint32_t parse_checks(std::string_view list) {
  std::uint32_t parts = 0;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    std::uint32_t part = 0;
    std::vector<std::string> known;
    for (const CheckRow& row : kChecks) {
      if (row.name == name) part = row.part;
      known.emplace_back(row.name);
    }
    if (part == 0) throw Error(ErrorCode::usage, report::unknown_name("check", name, known));
    parts |= part;
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

std::string check_names(std::uint32_t parts) {
  std::string names;
  for (const CheckRow& row : kChecks) {
    if (!(parts & row.part)) continue;
    if (!names.empty()) names += ',';
    names += row.name;
  }
  return names;
}

}  // namespace toktier::diff
