#include "store/known_leaves.hpp"

namespace toktier::store {

const KnownLeaves::Known* KnownLeaves::find(const session::State::Leaf& leaf) const {
  const auto at = leaves_.find(leaf.identity());
  return at == leaves_.end() ? nullptr : &rows_.at(at->second);
}

const KnownLeaves::Known* KnownLeaves::find(std::int64_t row) const {
  const auto at = rows_.find(row);
  return at == rows_.end() ? nullptr : &at->second;
}

void KnownLeaves::add(const session::State::Leaf& leaf, std::int64_t row, const Digest& digest,
                      std::int64_t size) {
  if (rows_.size() >= next_) give_up_unused();
  forget(row);
  if (const Known* other = find(leaf)) forget(other->row);
  rows_[row] = {leaf, row, digest, size};
  leaves_[leaf.identity()] = row;
}

void KnownLeaves::forget(std::int64_t row) {
  const auto at = rows_.find(row);
  if (at == rows_.end()) return;
  leaves_.erase(at->second.leaf.identity());
  rows_.erase(at);
}

void KnownLeaves::give_up_unused() {
  for (auto at = rows_.begin(); at != rows_.end();) {
    const session::State::Leaf& leaf = at->second.leaf;
    // Held here alone, so nobody can begin to share it meanwhile.
    const bool unused = leaf.block ? leaf.block.use_count() == 1 : leaf.given.use_count() == 1;
    if (!unused) {
      ++at;
      continue;
    }
    leaves_.erase(leaf.identity());
    at = rows_.erase(at);
  }
  next_ = 2 * rows_.size() + kUnused;
}

}  // namespace toktier::store
