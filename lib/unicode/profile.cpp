#include "unicode/profile.hpp"

#include "unicode/tables/tables.hpp"

#include <algorithm>
#include <string>

namespace toktier::unicode {
namespace {

/// Engines compare property names without case, blanks, '-' and '_'.
std::string loose(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_') continue;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

const CodePointSet* find(std::span<const NamedSet> list, std::string_view name) {
  const std::string key = loose(name);
  const auto at =
      std::lower_bound(list.begin(), list.end(), key,
                       [](const NamedSet& row, const std::string& k) { return row.name < k; });
  if (at == list.end() || at->name != key) return nullptr;
  return &tables::set(at->set);
}

}  // namespace

const CodePointSet* RegexProfile::category(std::string_view property_name) const {
  return find(tables->categories, property_name);
}

const CodePointSet* RegexProfile::script(std::string_view property_name) const {
  return find(tables->scripts, property_name);
}

const CodePointSet* RegexProfile::binary(std::string_view property_name) const {
  return find(tables->binaries, property_name);
}

const CodePointSet& RegexProfile::space() const { return tables::set(tables->space); }
const CodePointSet& RegexProfile::word() const { return tables::set(tables->word); }
const CodePointSet& RegexProfile::digit() const { return tables::set(tables->digit); }
const CodePointSet& RegexProfile::hex_digit() const { return tables::set(tables->hex_digit); }

CodePointSet RegexProfile::fold_closure(const CodePointSet& set) const {
  std::vector<CodePointRange> ranges(set.ranges().begin(), set.ranges().end());
  for (const FoldPair& pair : tables->folds) {
    if (set.contains(pair.pattern)) ranges.push_back({pair.text, pair.text});
  }
  return CodePointSet(ranges);
}

std::span<const MultiFold> RegexProfile::multi_folds() const { return tables->multi_folds; }

const RegexProfile& onig_profile() {
  static const RegexProfile profile{"onig/tokenizers-0.23.3", "16.0.0", &tables::kOnig};
  return profile;
}

const RegexProfile& tiktoken_profile() {
  static const RegexProfile profile{"fancy-regex/tiktoken-0.14.0", "16.0.0", &tables::kTiktoken};
  return profile;
}

}  // namespace toktier::unicode
