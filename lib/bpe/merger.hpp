#pragma once
// BPE merging of one symbol sequence: repeat "merge the adjacent pair of smallest priority,
// leftmost among equals".
//
// Short sequences run that loop directly. Long ones are cut into overlapping windows that are
// merged alone and joined at a token both windows agree on, which is exact by the adjacency
// theorem:
//   t1..tn is the encoding of its symbols iff it is a single token that encodes to itself or every
//   adjacent pair (ti, ti+1) is the encoding of its own symbols.
// Every adjacent pair of the joined output stands adjacent inside the true encoding of one window,
// and a part of a true encoding is the true encoding of its own symbols. No assumption on
// priorities is needed. Windows grow until neighbours agree; in the worst case one window is the
// whole sequence, so the result never depends on luck. A window of more than a few symbols takes
// all pairs of one priority at a time. Time is linear for fixed window size, O(n log n) in the
// worst case; the stack is constant.

#include "bpe/pair_table.hpp"

#include <cstdint>
#include <vector>

namespace toktier::bpe {

/// Lists of places by priority, in open addressing; keeps its memory.
class PlaceBuckets {
 public:
  /// The number of a priority's list; `*fresh` when it was not asked for since clear().
  std::uint32_t number_of(std::uint32_t priority, bool* fresh);
  std::vector<std::uint32_t>& list(std::uint32_t number) { return lists_[number]; }
  /// Work in the lists used, not in all that there ever were.
  void clear();

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Slot {
    std::uint32_t priority = 0, bucket = kNone;
  };
  std::size_t find(std::uint32_t priority) const;
  void grow();
  std::vector<Slot> slots_;
  std::vector<std::size_t> used_;  // by list, its slot
  std::vector<std::vector<std::uint32_t>> lists_;
};

/// Scratch memory of a Merger; reused, grows to the longest piece seen.
struct MergeScratch {
  std::vector<std::uint32_t> priority, next, previous;
  std::vector<Symbol> result;
  PlaceBuckets buckets;
  std::vector<std::uint32_t> places;
  // Heaps: priorities and the numbers of their lists; priorities and places.
  std::vector<std::uint64_t> waiting, urgent;
  std::vector<std::uint64_t> place_bits;
  std::size_t window = 0;     // symbols a window; 0 is the default; results do not depend on it
  std::vector<Symbol> input;  // the sequence of merge(), kept while its place is overwritten
  std::vector<Symbol> window_input[2];
  std::vector<Symbol> window_symbols[2];
  std::vector<std::uint32_t> window_starts[2];
  std::uint64_t direct_calls = 0, windows = 0, reused_windows = 0, enlarged_windows = 0,
                restarts = 0;
};

/// The symbols of a long text, asked for window by window; windows begin further and further to the
/// right, except that the last one may be asked for again, or all of them from the start.
class SymbolSource {
 public:
  virtual ~SymbolSource() = default;
  virtual void fill(std::size_t begin, std::size_t count, Symbol* to) = 0;
};

/// Takes tokens from left to right.
class TokenTarget {
 public:
  virtual ~TokenTarget() = default;
  /// `starts[i] + base` is the index of the first symbol of tokens[i].
  virtual void put(const Symbol* tokens, const std::uint32_t* starts, std::size_t count,
                   std::size_t base) = 0;
  /// All that was put is void; it comes again from the first token.
  virtual void restart() = 0;
};

class Merger {
 public:
  explicit Merger(const PairTable& pairs) : pairs_(pairs) {}

  /// Merges symbols[0..n) in place; when `starts` is not null it receives, for each resulting
  /// symbol, the index of its first original symbol (n entries of room). Returns the number of
  /// resulting symbols.
  std::size_t merge(Symbol* symbols, std::uint32_t* starts, std::size_t n,
                    MergeScratch& scratch) const;
  /// The same for n <= kDirect with the merges of the n - 1 neighbouring pairs known already.
  std::size_t merge_known(Symbol* symbols, const Merged* neighbours, std::size_t n,
                          MergeScratch& scratch) const;

  /// The same for any number of symbols, in memory that does not grow with them (unless windows
  /// must grow until neighbours agree).
  void merge_stream(SymbolSource& source, std::size_t n, TokenTarget& target,
                    MergeScratch& scratch) const;

  /// Sequences up to this long are merged directly.
  static constexpr std::size_t kDirect = 48;

 private:
  std::size_t merge_direct(Symbol* symbols, const Merged* neighbours, std::uint32_t* starts,
                           std::size_t n) const;
  void merge_queue(const Symbol* in, std::size_t n, std::vector<Symbol>& out,
                   std::vector<std::uint32_t>& starts, MergeScratch& scratch) const;
  void merge_window(const Symbol* in, std::size_t n, std::vector<Symbol>& out,
                    std::vector<std::uint32_t>& starts, MergeScratch& scratch) const;
  bool merge_windows(SymbolSource& source, std::size_t n, std::size_t length, TokenTarget& target,
                     MergeScratch& scratch) const;

  const PairTable& pairs_;
};

}  // namespace toktier::bpe
