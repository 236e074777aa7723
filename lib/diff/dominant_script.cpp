#include "diff/dominant_script.hpp"

#include "unicode/profile.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace toktier::diff {
namespace {

constexpr std::size_t kLook = 4096;  // bytes

constexpr std::array kScripts = std::to_array<std::string_view>(
    {"Latin",    "Han",      "Cyrillic", "Arabic",    "Devanagari", "Hangul",    "Hiragana",
     "Katakana", "Thai",     "Greek",    "Hebrew",    "Bengali",    "Tamil",     "Telugu",
     "Gujarati", "Gurmukhi", "Kannada",  "Malayalam", "Sinhala",    "Myanmar",   "Khmer",
     "Lao",      "Georgian", "Armenian", "Ethiopic",  "Tibetan",    "Mongolian", "Cherokee"});

struct ScriptRange {
  char32_t first, last;
  std::uint8_t script;
};

/// The ranges of all scripts in the list, in order.
const std::vector<ScriptRange>& script_ranges() {
  static const std::vector<ScriptRange> all = [] {
    std::vector<ScriptRange> ranges;
    for (std::size_t s = 0; s < kScripts.size(); ++s) {
      const unicode::CodePointSet* set = unicode::onig_profile().script(kScripts[s]);
      if (set == nullptr) continue;
      for (const unicode::CodePointRange& range : set->ranges())
        ranges.push_back({range.first, range.last, static_cast<std::uint8_t>(s)});
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const ScriptRange& a, const ScriptRange& b) { return a.first < b.first; });
    return ranges;
  }();
  return all;
}

int script_of(char32_t c) {
  const auto& ranges = script_ranges();
  auto behind =
      std::upper_bound(ranges.begin(), ranges.end(), c,
                       [](char32_t value, const ScriptRange& r) { return value < r.first; });
  if (behind == ranges.begin()) return -1;
  --behind;
  return c <= behind->last ? behind->script : -1;
}

}  // namespace

std::string_view dominant_script(std::string_view text) {
  text = text.substr(0, kLook);
  if (const auto bad = unicode::find_invalid_utf8(text)) text = text.substr(0, *bad);
  std::array<std::size_t, kScripts.size()> letters{};
  std::size_t all = 0;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Decoded d = unicode::decode(text.data() + at);
    at += d.length;
    const int script = script_of(d.code_point);
    if (script < 0) continue;
    ++letters[static_cast<std::size_t>(script)];
    ++all;
  }
  if (all == 0) return "none";
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(kScripts.begin(), kScripts.end(), name) -
                                    kScripts.begin());
  };
  const std::size_t kana = letters[at("Hiragana")] + letters[at("Katakana")];
  if (kana * 5 > all) return "Japanese";
  const auto most = std::max_element(letters.begin(), letters.end());
  if (*most * 2 < all) return "several";
  return kScripts[static_cast<std::size_t>(most - letters.begin())];
}

}  // namespace toktier::diff
