#pragma once
// Boost.Regex character traits over the probed tables of a regex profile: char32_t, code point
// order, classes by property name, case folding by the profile. Private to lib/oracle.

#include "unicode/profile.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toktier::oracle {

/// Each class name a pattern uses gets one bit of the mask.
class SplitTraits {
 public:
  using char_type = char32_t;
  using string_type = std::u32string;
  using size_type = std::size_t;
  using locale_type = const unicode::RegexProfile*;
  using char_class_type = std::uint64_t;

  static size_type length(const char_type* p) { return std::u32string_view(p).size(); }

  char_type translate(char_type c) const { return c; }
  char_type translate_nocase(char_type c) const;
  template <class Iterator>
  string_type transform(Iterator first, Iterator last) const {
    return string_type(first, last);
  }
  template <class Iterator>
  string_type transform_primary(Iterator first, Iterator last) const {
    return string_type(first, last);
  }
  template <class Iterator>
  char_class_type lookup_classname(Iterator first, Iterator last) const {
    return lookup(std::u32string(first, last));
  }
  template <class Iterator>
  string_type lookup_collatename(Iterator first, Iterator last) const {
    const string_type name(first, last);
    return name.size() == 1 ? name : string_type();
  }
  bool isctype(char_type c, char_class_type mask) const;
  int value(char_type c, int radix) const;

  locale_type imbue(locale_type profile) { return std::exchange(profile_, profile); }
  locale_type getloc() const { return profile_; }

 private:
  locale_type profile_ = &unicode::onig_profile();
  // Filled while a pattern is compiled, only read while it matches.
  mutable std::vector<const unicode::CodePointSet*> sets_;
  mutable std::map<std::u32string, char_class_type> masks_;
  mutable std::map<char32_t, char32_t> folds_;

  char_class_type lookup(const std::u32string& name) const;
};

}  // namespace toktier::oracle
