#include "bpe/merger.hpp"

#include <algorithm>
#include <cstring>

namespace toktier::bpe {
namespace {

constexpr std::size_t kBlock = 32;  // positions per block minimum

}  // namespace

// One word per position: priority in the upper bits, position in the lower six, so that a plain
// minimum finds the smallest priority and, among equals, the leftmost pair.
std::size_t Merger::merge_direct(Symbol* symbols, const Merged* neighbours, std::uint32_t* starts,
                                 std::size_t n) const {
  static_assert(kDirect < 64 && PairTable::kMaxPriority < (1U << 26) - 1);
  std::uint32_t key[kDirect];
  Symbol result[kDirect];
  std::uint8_t next[kDirect], previous[kDirect];
  const auto note = [&](std::size_t at, Merged found) {
    result[at] = found.result;
    key[at] = found.exists() ? (found.priority << 6) | static_cast<std::uint32_t>(at) : kNoPriority;
  };
  for (std::size_t i = 0; i < n; ++i) {
    next[i] = static_cast<std::uint8_t>(i + 1);
    previous[i] = static_cast<std::uint8_t>(i - 1);
  }
  for (std::size_t i = 0; i + 1 < n; ++i)
    note(i, neighbours ? neighbours[i] : pairs_.find(symbols[i], symbols[i + 1]));
  key[n - 1] = kNoPriority;
  while (true) {
    std::uint32_t best = key[0];
    for (std::size_t i = 1; i < n; ++i) best = std::min(best, key[i]);
    if (best == kNoPriority) break;
    const std::size_t at = best & 63;
    const std::size_t gone = next[at];
    const std::size_t after = next[gone];
    symbols[at] = result[at];
    key[gone] = kNoPriority;
    next[at] = static_cast<std::uint8_t>(after);
    if (after < n) {
      previous[after] = static_cast<std::uint8_t>(at);
      note(at, pairs_.find(symbols[at], symbols[after]));
    } else {
      key[at] = kNoPriority;
    }
    if (at > 0) note(previous[at], pairs_.find(symbols[previous[at]], symbols[at]));
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; i = next[i]) {
    if (starts) starts[kept] = static_cast<std::uint32_t>(i);
    symbols[kept++] = symbols[i];
  }
  return kept;
}

// Linked list over fixed positions; the minimum is found through block minima, so a merge costs
// about n/32 + 32 steps.
std::size_t Merger::merge_blocks(const Symbol* in, std::size_t n, std::vector<Symbol>& out,
                                 std::vector<std::uint32_t>& starts, MergeScratch& scratch) const {
  const std::size_t padded = (n + kBlock - 1) / kBlock * kBlock;
  out.assign(in, in + n);
  scratch.priority.assign(padded, kNoPriority);
  scratch.result.resize(n);
  scratch.next.resize(n);
  scratch.previous.resize(n);
  std::vector<std::uint32_t>& priority = scratch.priority;
  const auto note = [&](std::size_t at, Merged found) {
    priority[at] = found.priority;
    scratch.result[at] = found.result;
  };
  for (std::size_t i = 0; i < n; ++i) {
    scratch.next[i] = static_cast<std::uint32_t>(i + 1);
    scratch.previous[i] = static_cast<std::uint32_t>(i) - 1U;  // wraps for 0; never read
    if (i + 1 < n) note(i, pairs_.find(in[i], in[i + 1]));
  }
  const auto block_minimum = [&](std::size_t block) {
    std::uint32_t best = kNoPriority;
    const std::uint32_t* p = priority.data() + block * kBlock;
    for (std::size_t i = 0; i < kBlock; ++i) best = std::min(best, p[i]);
    return best;
  };
  const std::size_t blocks = padded / kBlock;
  // Upper levels (32-ary) keep the search logarithmic for windows of any size.
  std::vector<std::vector<std::uint32_t>> levels(1);
  levels[0].resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) levels[0][b] = block_minimum(b);
  while (levels.back().size() > kBlock) {
    const std::vector<std::uint32_t>& below = levels.back();
    std::vector<std::uint32_t> level((below.size() + kBlock - 1) / kBlock, kNoPriority);
    for (std::size_t i = 0; i < below.size(); ++i)
      level[i / kBlock] = std::min(level[i / kBlock], below[i]);
    levels.push_back(std::move(level));
  }
  const auto refresh = [&](std::size_t position) {
    std::size_t block = position / kBlock;
    levels[0][block] = block_minimum(block);
    for (std::size_t l = 1; l < levels.size(); ++l) {
      const std::size_t parent = block / kBlock;
      const std::vector<std::uint32_t>& below = levels[l - 1];
      const std::size_t end = std::min(below.size(), (parent + 1) * kBlock);
      std::uint32_t best = kNoPriority;
      for (std::size_t i = parent * kBlock; i < end; ++i) best = std::min(best, below[i]);
      levels[l][parent] = best;
      block = parent;
    }
  };
  std::size_t alive = n;
  while (alive > 1) {
    const std::vector<std::uint32_t>& top = levels.back();
    std::size_t block =
        static_cast<std::size_t>(std::min_element(top.begin(), top.end()) - top.begin());
    const std::uint32_t best = top[block];
    if (best == kNoPriority) break;
    for (std::size_t l = levels.size() - 1; l-- > 0;) {
      std::size_t child = block * kBlock;
      while (levels[l][child] != best) ++child;
      block = child;
    }
    std::size_t at = block * kBlock;
    while (priority[at] != best) ++at;

    const std::uint32_t gone = scratch.next[at];
    const std::uint32_t after = scratch.next[gone];
    out[at] = scratch.result[at];
    scratch.next[at] = after;
    priority[gone] = kNoPriority;
    priority[at] = kNoPriority;
    if (after < n) {
      scratch.previous[after] = static_cast<std::uint32_t>(at);
      note(at, pairs_.find(out[at], out[after]));
    }
    refresh(at);
    if (gone / kBlock != at / kBlock) refresh(gone);
    if (at > 0) {
      const std::uint32_t before = scratch.previous[at];
      note(before, pairs_.find(out[before], out[at]));
      refresh(before);
    }
    scratch.next[gone] = kNoPriority;  // dead
    --alive;
  }
  starts.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; i = scratch.next[i]) {
    out[kept++] = out[i];
    starts.push_back(static_cast<std::uint32_t>(i));
  }
  out.resize(kept);
  return kept;
}

void Merger::merge_window(const Symbol* in, std::size_t n, std::vector<Symbol>& out,
                          std::vector<std::uint32_t>& starts, MergeScratch& scratch) const {
  ++scratch.windows;
  if (n <= kDirect) {
    out.assign(in, in + n);
    starts.resize(n);
    const std::size_t kept = merge_direct(out.data(), nullptr, starts.data(), n);
    out.resize(kept);
    starts.resize(kept);
  } else {
    merge_blocks(in, n, out, starts, scratch);
  }
}

std::size_t Merger::merge_long(Symbol* symbols, std::uint32_t* starts, std::size_t n,
                               MergeScratch& scratch) const {
  scratch.input.assign(symbols, symbols + n);  // the output overwrites `symbols` from the front
  // Runs of a character with long tokens need windows of many tokens before neighbours agree;
  // trying again from the front with windows four times as long keeps the work within a constant
  // factor.
  for (std::size_t length = kDirect;; length *= 4) {
    const std::size_t count = merge_windows(symbols, starts, n, length, scratch);
    if (count > 0) return count;
    ++scratch.restarts;
  }
}

// One attempt with windows of `length` symbols at first; 0 when a window that had to grow no longer
// holds the token at which it was joined. Windows of all symbols always succeed.
std::size_t Merger::merge_windows(Symbol* symbols, std::uint32_t* starts, std::size_t n,
                                  std::size_t length, MergeScratch& scratch) const {
  const Symbol* const in = scratch.input.data();
  std::vector<Symbol>*current = &scratch.window_symbols[0], *following = &scratch.window_symbols[1];
  std::vector<std::uint32_t>*current_starts = &scratch.window_starts[0],
  *following_starts = &scratch.window_starts[1];
  std::size_t begin = 0;                   // first symbol of the current window
  std::size_t size = std::min(length, n);  // symbols in it
  std::size_t emitted = 0;                 // tokens written
  std::size_t from = 0;                    // first token of the current window not yet written
  merge_window(in, size, *current, *current_starts, scratch);
  const auto emit = [&](std::size_t count) {
    for (; from < count; ++from) {
      if (starts) starts[emitted] = static_cast<std::uint32_t>(begin + (*current_starts)[from]);
      symbols[emitted++] = (*current)[from];
    }
  };
  while (begin + size < n) {
    // The next window begins at a token border about two thirds into this one, after the tokens
    // already written.
    std::size_t join = from + 1;
    while (join + 1 < current->size() && (*current_starts)[join] < size * 2 / 3) ++join;
    bool joined = false;
    if (join < current->size()) {
      const std::size_t next_begin = begin + (*current_starts)[join];
      const std::size_t next_size = std::min(size, n - next_begin);
      // Runs and repeated text give the same window again; its encoding is a function of its
      // symbols alone.
      if (next_size == size &&
          std::memcmp(in + next_begin, in + begin, size * sizeof(Symbol)) == 0) {
        *following = *current;
        *following_starts = *current_starts;
        ++scratch.reused_windows;
      } else {
        merge_window(in + next_begin, next_size, *following, *following_starts, scratch);
      }
      const std::uint32_t shift = static_cast<std::uint32_t>(next_begin - begin);
      std::size_t i = join, j = 0;
      while (i < current->size() && j < following->size()) {
        const std::uint32_t a = (*current_starts)[i], b = (*following_starts)[j] + shift;
        if (a == b && (*current)[i] == (*following)[j]) {
          joined = true;
          break;
        }
        if (a <= b) ++i;
        if (b <= a) ++j;
      }
      if (joined) {
        emit(i);
        std::swap(current, following);
        std::swap(current_starts, following_starts);
        begin = next_begin;
        size = next_size;
        from = j;
        continue;
      }
    }
    // No common token: this window again, twice as long.
    ++scratch.enlarged_windows;
    const std::size_t first_start = (*current_starts)[from];
    const Symbol first_symbol = (*current)[from];
    size = std::min(size * 2, n - begin);
    merge_window(in + begin, size, *following, *following_starts, scratch);
    // The token at which the last join was made must stand in the longer window as well.
    std::size_t j = 0;
    while (j < following->size() && (*following_starts)[j] < first_start) ++j;
    if (j == following->size() || (*following_starts)[j] != first_start ||
        (*following)[j] != first_symbol) {
      return 0;
    }
    std::swap(current, following);
    std::swap(current_starts, following_starts);
    from = j;
  }
  emit(current->size());
  return emitted;
}

std::size_t Merger::merge_known(Symbol* symbols, const Merged* neighbours, std::size_t n,
                                MergeScratch& scratch) const {
  ++scratch.direct_calls;
  return merge_direct(symbols, neighbours, nullptr, n);
}

std::size_t Merger::merge(Symbol* symbols, std::uint32_t* starts, std::size_t n,
                          MergeScratch& scratch) const {
  if (n == 0) return 0;
  if (n > kDirect) return merge_long(symbols, starts, n, scratch);
  ++scratch.direct_calls;
  return merge_direct(symbols, nullptr, starts, n);
}

}  // namespace toktier::bpe
