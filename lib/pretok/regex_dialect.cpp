#include "pretok/regex_dialect.hpp"

namespace toktier::pretok {

Dialect onig_dialect() {
  return {&unicode::onig_profile(), false, false, true, true, 'm', true, false, true, false};
}

Dialect fancy_dialect() {
  return {&unicode::tiktoken_profile(), true, true, false, false, 's', false, true, false, true};
}

}  // namespace toktier::pretok
