#include "oracle/split_traits.hpp"

#include <bit>

namespace toktier::oracle {

char32_t SplitTraits::translate_nocase(char32_t c) const {
  const auto known = folds_.find(c);
  if (known != folds_.end()) return known->second;
  const auto same = profile_->fold_closure(unicode::CodePointSet::of(c, c));
  return folds_[c] = same.ranges().front().first;
}

bool SplitTraits::isctype(char32_t c, char_class_type mask) const {
  for (; mask != 0; mask &= mask - 1) {
    if (sets_[static_cast<std::size_t>(std::countr_zero(mask))]->contains(c)) return true;
  }
  return false;
}

int SplitTraits::value(char32_t c, int radix) const {
  int digit = -1;
  if (c >= '0' && c <= '9') digit = static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') digit = static_cast<int>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') digit = static_cast<int>(c - 'A') + 10;
  return digit < radix ? digit : -1;
}

SplitTraits::char_class_type SplitTraits::lookup(const std::u32string& name) const {
  const auto known = masks_.find(name);
  if (known != masks_.end()) return known->second;
  std::string plain;
  for (const char32_t c : name) plain.push_back(c < 0x80 ? static_cast<char>(c) : '?');
  const unicode::CodePointSet* set = nullptr;
  if (plain == "s") {
    set = &profile_->space();
  } else if (plain == "w") {
    set = &profile_->word();
  } else if (plain == "bracketword") {
    set = profile_->binary("[:word:]");
  } else if (plain == "d") {
    set = &profile_->digit();
  } else {
    set = profile_->category(plain);
    if (set == nullptr) set = profile_->script(plain);
    if (set == nullptr) set = profile_->binary(plain);
    if (set == nullptr) set = profile_->binary("[:" + plain + ":]");
  }
  if (set == nullptr || sets_.size() == 64) return 0;
  sets_.push_back(set);
  return masks_[name] = std::uint64_t{1} << (sets_.size() - 1);
}

}  // namespace toktier::oracle
