#include "bpe/merger.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace toktier::bpe {
namespace {

// Long texts are merged in windows of this many symbols, which bounds the memory besides the text.
constexpr std::size_t kWindow = 1U << 13;
// Neighbouring windows overlap by so many, or by a third.
constexpr std::size_t kOverlap = 256;
// Steps between asking for a cache line and needing it.
constexpr std::size_t kAhead = 6;

// In ascending order, each place once. Many of them: a bit for each place instead of comparisons.
void sort_places(std::vector<std::uint32_t>& places, std::size_t n,
                 std::vector<std::uint64_t>& bits) {
  if (std::is_sorted(places.begin(), places.end())) return;
  const std::size_t words = (n + 63) / 64;
  if (places.size() < std::max<std::size_t>(words / 8, 32)) {
    std::sort(places.begin(), places.end());
    return;
  }
  bits.assign(words, 0);
  for (const std::uint32_t p : places) bits[p >> 6] |= std::uint64_t{1} << (p & 63);
  places.clear();
  for (std::size_t w = 0; w < words; ++w) {
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1)
      places.push_back(static_cast<std::uint32_t>(w * 64) +
                       static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
}

// Runs and repeated rows: windows of a few tokens then are copies of each other.
bool has_short_period(const Symbol* in, std::size_t n) {
  constexpr std::size_t kLook = 256, kLongest = 24;
  const std::size_t look = std::min(n, kLook);
  for (std::size_t period = 1; period <= kLongest && period * 2 <= look; ++period)
    if (std::memcmp(in, in + period, (look - period) * sizeof(Symbol)) == 0) return true;
  return false;
}

class ArraySource final : public SymbolSource {
 public:
  explicit ArraySource(const std::vector<Symbol>& symbols) : symbols_(symbols) {}
  void fill(std::size_t begin, std::size_t count, Symbol* to) override {
    std::copy_n(symbols_.begin() + static_cast<std::ptrdiff_t>(begin), count, to);
  }

 private:
  const std::vector<Symbol>& symbols_;
};

class ArrayTarget final : public TokenTarget {
 public:
  ArrayTarget(Symbol* tokens, std::uint32_t* starts) : tokens_(tokens), starts_(starts) {}
  void put(const Symbol* tokens, const std::uint32_t* starts, std::size_t count,
           std::size_t base) override {
    std::copy_n(tokens, count, tokens_ + count_);
    if (starts_ != nullptr) {
      for (std::size_t i = 0; i < count; ++i)
        starts_[count_ + i] = starts[i] + static_cast<std::uint32_t>(base);
    }
    count_ += count;
  }
  void restart() override { count_ = 0; }
  std::size_t count() const { return count_; }

 private:
  Symbol* tokens_;
  std::uint32_t* starts_;
  std::size_t count_ = 0;
};

}  // namespace

std::uint32_t PlaceBuckets::number_of(std::uint32_t priority, bool* fresh) {
  if (used_.size() * 2 >= slots_.size()) grow();
  const std::size_t at = find(priority);
  Slot& slot = slots_[at];
  *fresh = slot.bucket == kNone;
  if (*fresh) {
    slot = {priority, static_cast<std::uint32_t>(used_.size())};
    used_.push_back(at);
    if (used_.size() > lists_.size()) lists_.emplace_back();
    lists_[slot.bucket].clear();
  }
  return slot.bucket;
}

std::size_t PlaceBuckets::find(std::uint32_t priority) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (priority * 0x9E3779B1U >> 7) & mask;
  while (slots_[at].bucket != kNone && slots_[at].priority != priority) at = (at + 1) & mask;
  return at;
}

void PlaceBuckets::grow() {
  const std::vector<Slot> before = std::move(slots_);
  slots_.assign(std::max<std::size_t>(before.size() * 2, 256), {});
  for (std::uint32_t i = 0; i < used_.size(); ++i) {
    const std::uint32_t priority = before[used_[i]].priority;
    used_[i] = find(priority);
    slots_[used_[i]] = {priority, i};
  }
}

void PlaceBuckets::clear() {
  for (const std::size_t at : used_) slots_[at] = {};
  used_.clear();
}

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

// All pairs of one priority at a time, from the left. Positions of a priority wait in its bucket;
// what appears with a priority not above the one at work (or at a place already passed) goes
// through a heap that is looked at first, so each step is the smallest (priority, place) of all:
// the textbook loop. What a later step of the bucket will look up is fetched ahead of it.
void Merger::merge_queue(const Symbol* in, std::size_t n, std::vector<Symbol>& out,
                         std::vector<std::uint32_t>& starts, MergeScratch& scratch) const {
  out.assign(in, in + n);
  scratch.priority.assign(n, kNoPriority);
  scratch.result.resize(n);
  scratch.next.resize(n);
  scratch.previous.resize(n);
  scratch.buckets.clear();
  scratch.waiting.clear();
  scratch.urgent.clear();
  std::vector<std::uint32_t>&next = scratch.next, &previous = scratch.previous;
  std::int64_t at_work = -1;  // the priority at work
  const auto note = [&](std::uint32_t at, std::uint32_t right) {
    const Merged found = pairs_.find(out[at], out[right]);
    scratch.priority[at] = found.priority;
    scratch.result[at] = found.result;
    if (!found.exists()) return;
    if (found.priority <= at_work) {
      scratch.urgent.push_back(std::uint64_t{found.priority} << 32 | at);
      std::push_heap(scratch.urgent.begin(), scratch.urgent.end(), std::greater<>());
      return;
    }
    bool fresh = false;
    const std::uint32_t number = scratch.buckets.number_of(found.priority, &fresh);
    scratch.buckets.list(number).push_back(at);
    if (!fresh) return;
    scratch.waiting.push_back(std::uint64_t{found.priority} << 32 | number);
    std::push_heap(scratch.waiting.begin(), scratch.waiting.end(), std::greater<>());
  };
  const auto fetch = [&](std::uint32_t at) {
    if (scratch.priority[at] == kNoPriority) return;
    const std::uint32_t after = next[next[at]];
    if (after < n) pairs_.prefetch(pairs_.probe(scratch.result[at], out[after]));
    if (at > 0) pairs_.prefetch(pairs_.probe(out[previous[at]], scratch.result[at]));
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;  // wraps for 0; never read
  }
  for (std::uint32_t i = 0; i + 1 < n; ++i) note(i, i + 1);

  while (!scratch.waiting.empty()) {
    std::pop_heap(scratch.waiting.begin(), scratch.waiting.end(), std::greater<>());
    const auto priority = static_cast<std::uint32_t>(scratch.waiting.back() >> 32);
    // Whatever comes for it from now on is urgent.
    std::vector<std::uint32_t>& list =
        scratch.buckets.list(static_cast<std::uint32_t>(scratch.waiting.back()));
    scratch.waiting.pop_back();
    at_work = priority;
    std::vector<std::uint32_t>& places = scratch.places;
    places.swap(list);
    std::size_t alive = 0;  // most are gone by now, in no order that a branch could foresee
    for (const std::uint32_t at : places) {
      places[alive] = at;
      alive += std::size_t{scratch.priority[at] == priority};
    }
    places.resize(alive);
    sort_places(places, n, scratch.place_bits);
    for (std::size_t i = 0; i < places.size() || !scratch.urgent.empty();) {
      std::uint64_t step = i < places.size() ? std::uint64_t{priority} << 32 | places[i] : ~0ULL;
      if (!scratch.urgent.empty() && scratch.urgent.front() < step) {
        step = scratch.urgent.front();
        std::pop_heap(scratch.urgent.begin(), scratch.urgent.end(), std::greater<>());
        scratch.urgent.pop_back();
      } else {
        if (i + kAhead < places.size()) fetch(places[i + kAhead]);
        ++i;
      }
      const auto at = static_cast<std::uint32_t>(step);
      if (scratch.priority[at] != step >> 32) continue;  // that pair is gone
      const std::uint32_t gone = next[at], after = next[gone];
      out[at] = scratch.result[at];
      next[at] = after;
      scratch.priority[gone] = scratch.priority[at] = kNoPriority;
      if (after < n) {
        previous[after] = at;
        note(at, after);
      }
      if (at > 0) note(previous[at], at);
    }
    places.clear();
  }
  starts.clear();
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < n; i = next[i]) {
    out[kept++] = out[i];
    starts.push_back(i);
  }
  out.resize(kept);
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
    merge_queue(in, n, out, starts, scratch);
  }
}

void Merger::merge_stream(SymbolSource& source, std::size_t n, TokenTarget& target,
                          MergeScratch& scratch) const {
  if (n == 0) return;
  std::size_t length = scratch.window;
  if (length == 0) {
    Symbol head[256];
    const std::size_t look = std::min(n, std::size(head));
    source.fill(0, look, head);
    length = has_short_period(head, look) ? kDirect : kWindow;
  }
  // Runs of a character with long tokens need windows of many tokens before neighbours agree;
  // trying again from the front with windows four times as long keeps the work within a constant
  // factor.
  for (; !merge_windows(source, n, length, target, scratch); length *= 4) {
    ++scratch.restarts;
    target.restart();
  }
}

// One attempt with windows of `length` symbols at first; false when a window that had to grow no
// longer holds the token at which it was joined. Windows of all symbols always succeed.
bool Merger::merge_windows(SymbolSource& source, std::size_t n, std::size_t length,
                           TokenTarget& target, MergeScratch& scratch) const {
  std::vector<Symbol>*in = &scratch.window_input[0], *following_in = &scratch.window_input[1];
  const auto fetch = [&](std::vector<Symbol>& to, std::size_t at, std::size_t count) {
    to.resize(count);
    source.fill(at, count, to.data());
  };
  std::vector<Symbol>*current = &scratch.window_symbols[0], *following = &scratch.window_symbols[1];
  std::vector<std::uint32_t>*current_starts = &scratch.window_starts[0],
  *following_starts = &scratch.window_starts[1];
  std::size_t begin = 0;                   // first symbol of the current window
  std::size_t size = std::min(length, n);  // symbols in it
  std::size_t from = 0;                    // first token of the current window not yet written
  fetch(*in, begin, size);
  merge_window(in->data(), size, *current, *current_starts, scratch);
  const auto emit = [&](std::size_t count) {
    target.put(current->data() + from, current_starts->data() + from, count - from, begin);
    from = count;
  };
  while (begin + size < n) {
    // The next window begins at a token border near the end of this one, after the tokens already
    // written.
    const std::size_t near_end = size - std::min(size / 3, kOverlap);
    const auto after = std::lower_bound(
        current_starts->begin() + static_cast<std::ptrdiff_t>(std::min(from + 1, current->size())),
        current_starts->end(), near_end);
    std::size_t join = static_cast<std::size_t>(after - current_starts->begin());
    if (join == current->size() && join > from + 1) --join;
    bool joined = false;
    if (join < current->size()) {
      const std::size_t next_begin = begin + (*current_starts)[join];
      const std::size_t next_size = std::min(size, n - next_begin);
      // Runs and repeated text give the same window again; its encoding is a function of its
      // symbols alone.
      fetch(*following_in, next_begin, next_size);
      if (*following_in == *in) {
        *following = *current;
        *following_starts = *current_starts;
        ++scratch.reused_windows;
      } else {
        merge_window(following_in->data(), next_size, *following, *following_starts, scratch);
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
        std::swap(in, following_in);
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
    fetch(*in, begin, size);
    merge_window(in->data(), size, *following, *following_starts, scratch);
    // The token at which the last join was made must stand in the longer window as well.
    std::size_t j = 0;
    while (j < following->size() && (*following_starts)[j] < first_start) ++j;
    if (j == following->size() || (*following_starts)[j] != first_start ||
        (*following)[j] != first_symbol) {
      return false;
    }
    std::swap(current, following);
    std::swap(current_starts, following_starts);
    from = j;
  }
  emit(current->size());
  return true;
}

std::size_t Merger::merge_known(Symbol* symbols, const Merged* neighbours, std::size_t n,
                                MergeScratch& scratch) const {
  ++scratch.direct_calls;
  return merge_direct(symbols, neighbours, nullptr, n);
}

std::size_t Merger::merge(Symbol* symbols, std::uint32_t* starts, std::size_t n,
                          MergeScratch& scratch) const {
  if (n == 0) return 0;
  if (n <= kDirect) {
    ++scratch.direct_calls;
    return merge_direct(symbols, nullptr, starts, n);
  }
  scratch.input.assign(symbols, symbols + n);  // the output overwrites `symbols` from the front
  ArraySource source(scratch.input);
  ArrayTarget target(symbols, starts);
  merge_stream(source, n, target, scratch);
  return target.count();
}

}  // namespace toktier::bpe
