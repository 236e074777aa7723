#include "diff/check_table.hpp"

#include "diff/engine.hpp"
#include "report/nearest_name.hpp"

#include <array>

namespace toktier::diff {
namespace {

constexpr std::array kChecks = {
    CheckRow{"ids", "token ids are equal", kIds},
    CheckRow{"spans", "the byte range of each token is equal", kSpans},
    CheckRow{"pieces", "the byte ranges of pre-tokens and added tokens are equal", kPieces},
    CheckRow{"decode", "the ids, where equal, decode to the same bytes", kDecode},
    CheckRow{"append",
             "a session that gets the text in steps: its ids after each are a plain call's",
             kFirstWay, ways::make_append_way},
    CheckRow{"edit", "a session whose text is edited, forked, cut back and updated: as above",
             kFirstWay << 1, ways::make_edit_way},
    CheckRow{"split", "ids left and right of a place declared safe to cut, put together",
             kFirstWay << 2, ways::make_split_way},
    CheckRow{"parts", "the text in trusted parts, and in untrusted ones, against plain calls",
             kFirstWay << 3, ways::make_parts_way},
    CheckRow{"count", "count, count up to a limit, and fits", kFirstWay << 4, ways::make_count_way},
    CheckRow{"cold-warm", "without a cache, with a fresh and with a warm one", kFirstWay << 5,
             ways::make_cold_way},
    CheckRow{"thread", "four threads at once", kFirstWay << 6, ways::make_thread_way},
    CheckRow{"kernel", "each kernel that this processor runs", kFirstWay << 7,
             ways::make_kernel_way},
    CheckRow{"stream-decode", "ids decoded in groups: the bytes of one decode, no half characters",
             kFirstWay << 8, ways::make_stream_way},
};

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
      if (row.name == name || name == "all") part |= row.part;
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
