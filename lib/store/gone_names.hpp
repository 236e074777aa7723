#pragma once
// Names that were removed by time or budget, the latest few thousand, so that a miss can say why.

#include "store/backend.hpp"

#include <deque>
#include <string>
#include <unordered_map>

namespace toktier::store {

class GoneNames {
 public:
  void add(const std::string& name, Miss why) {
    const auto [at, fresh] = names_.insert_or_assign(name, why);
    if (!fresh) return;
    order_.push_back(name);
    if (order_.size() <= kRemembered) return;
    names_.erase(order_.front());
    order_.pop_front();
  }
  /// The name is used again.
  void forget(const std::string& name) {
    const auto at = names_.find(name);
    if (at != names_.end()) at->second = Miss::absent;
  }
  Miss why(const std::string& name) const {
    const auto at = names_.find(name);
    return at == names_.end() ? Miss::absent : at->second;
  }

 private:
  std::unordered_map<std::string, Miss> names_;
  std::deque<std::string> order_;  // each once
};

}  // namespace toktier::store
