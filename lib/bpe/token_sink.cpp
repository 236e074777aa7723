#include "bpe/model.hpp"

#include <algorithm>

namespace toktier::bpe {

void TokenSink::grow(std::size_t more) {
  const std::size_t want = std::max(at_ + more, ids_.size() + ids_.size() / 2);
  ids_.resize(want);
  if (lengths_) lengths_->resize(want);
}

}  // namespace toktier::bpe
