#include "bpe/model.hpp"

namespace toktier::bpe {

void TokenSink::grow(std::size_t more) {
  // Only as much as asked for: finish() cuts it again, and the vector itself grows geometrically.
  ids_.resize(at_ + more);
  if (lengths_) lengths_->resize(at_ + more - base_);
}

}  // namespace toktier::bpe
