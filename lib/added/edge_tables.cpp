#include "added/edge_rules.hpp"
#include "unicode/rust_tables.hpp"

namespace toktier::added {

EdgeClasses reference_edge_classes() {
  return {&unicode::rust::regex_space(), &unicode::rust::regex_word()};
}

}  // namespace toktier::added
