#include "store/maker.hpp"

#include <algorithm>
#include <array>

namespace toktier::store {

std::string Maker::key() const {
  std::string key;
  for (const std::string& field : {fingerprint, reference, unicode, options}) {
    key += std::to_string(field.size());
    key += ':';
    key += field;
  }
  return key + std::to_string(revision);
}

Maker maker_of(const TokenizerInfo& info, const SessionOptions& options) {
  Maker maker;
  maker.fingerprint = info.fingerprint;
  maker.reference = info.reference;
  maker.unicode = info.unicode;
  switch (options.special) {
    case SpecialMode::file_default:
      maker.options = "special=default";
      break;
    case SpecialMode::none:
      maker.options = "special=none";
      break;
    case SpecialMode::all:
      maker.options = "special=all";
      break;
    case SpecialMode::list:
      maker.options = "special=list";
      break;
  }
  if (options.special == SpecialMode::list) {
    std::vector<std::string> list = options.special_list;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (const std::string& name : list)
      maker.options += ' ' + std::to_string(name.size()) + ':' + name;
  }
  if (options.add_special) maker.options += " add_special";
  if (options.trust) maker.options += " trust";
  return maker;
}

}  // namespace toktier::store
