#pragma once
// The streaming scanner: the automaton with the start of the next piece folded into its table.
//
// A match is known to end one character late at best, so the plain scanner reads that character
// twice; here the transition says "a piece ends before this character" and the state is already
// that of the next piece. A state also knows whether the last recorded end lies exactly one
// character back, so giving back one character (a blank before a word) costs no second read either.
// Longer give-backs go to the recorded end and scan on from there.
//
// ASCII text goes two characters at a time through a table of its own over pairs of the classes
// that ASCII characters have: what limits a scan is the wait for one entry after the other, not
// their number.
//
// Exact by construction: every table entry is the plain procedure (attempt, record, die, start over
// at the recorded end) run on the one or two characters in question.

#include "pretok/automaton.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace toktier::pretok {

class FastScanner {
 public:
  /// `automaton` must tile every text and outlive this.
  explicit FastScanner(const Automaton& automaton);

  /// As PreTokenizer::scan. `steps`, when given, grows by the characters read.
  std::size_t scan(std::string_view text, std::uint32_t* at, std::uint32_t* ends, std::size_t cap,
                   std::uint64_t* steps = nullptr) const;

  std::uint32_t states() const { return states_; }
  std::size_t bytes() const { return (next_.size() + pair_next_.size()) * 3; }

 private:
  // What a transition says besides the next state.
  static constexpr std::uint8_t kHere = 1;    // a piece ends before this character
  static constexpr std::uint8_t kBefore = 2;  // ... before the last character (first, when both)
  static constexpr std::uint8_t kGiveBack =
      4;  // a piece ends at the recorded end; start over there
  static constexpr std::uint8_t kRemember = 8;  // the recorded end is before the last character

  // A state of the fold: an automaton state and where the last recorded end of this attempt is.
  struct Folded {
    std::uint16_t state;
    std::uint16_t back;  // class of the one character since the recorded end, or kNone, kFar
    friend auto operator<=>(const Folded&, const Folded&) = default;
  };
  static constexpr std::uint16_t kNone = 0xFFFF;  // nothing recorded: the attempt cannot die yet
  static constexpr std::uint16_t kFar = 0xFFFE;   // the recorded end is two or more characters back

  // What rare() handles. Without these flags an entry's flag is kHere or 0.
  static constexpr std::uint8_t kRare = kBefore | kGiveBack | kRemember;
  // A row has a column for each ASCII character, then one for each symbol.
  static constexpr std::uint32_t kClassColumn = 128;
  static constexpr std::size_t kSmallest = 4;

  struct Cursor {
    std::uint32_t pos;       // the next character
    std::uint32_t last;      // where the one before began
    std::uint32_t recorded;  // the recorded end, in a state whose back is kFar
    std::size_t row;
    std::size_t count;
    std::uint64_t read;
    std::uint32_t* out;
    std::size_t room;
    bool done = false;
  };

  const Automaton& automaton_;
  std::uint32_t stride_;  // columns, a power of two
  std::uint32_t states_ = 0;
  std::vector<std::uint16_t> next_;  // row offsets (state * stride)
  std::vector<std::uint8_t> flags_;

  // Pairs: ends before the character that precedes the pair, before its first, before its second.
  static constexpr std::uint8_t kEnds = 7, kRarePair = 8;
  std::uint32_t pair_stride_ = 0;  // entries a state; 0 when there is no table
  std::array<std::uint16_t, 256> pair_first_{}, pair_second_{};
  std::vector<std::uint16_t> pair_next_;  // row offsets (state * pair_stride_)
  std::vector<std::uint8_t> pair_flags_;

  struct Step {
    Folded to;
    std::uint8_t flags;
  };
  Step fold(const Folded& from, std::uint32_t symbol) const;
  Step begin(std::uint32_t symbol, std::uint8_t flags) const;
  void minimise();

  void compile_pairs();
  void ascii_blocks(std::string_view text, Cursor& c) const;
  void pair_blocks(std::string_view text, Cursor& c) const;
  void wide_run(std::string_view text, Cursor& c) const;
  void step(std::string_view text, Cursor& c) const;
  bool rare(std::uint8_t flag, Cursor& c) const;
};

}  // namespace toktier::pretok
