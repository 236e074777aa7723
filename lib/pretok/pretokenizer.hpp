#pragma once
// The compiled chain of pre-tokenizers: one text segment (between added tokens) to pieces.

#include "model/spec.hpp"
#include "unicode/aligned_text.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::pretok {

/// A pre-token: a byte range of the (possibly rewritten) text, and how far the splitter had to look
/// to know it.
struct Piece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class Automaton;

/// What tells where the chain cuts, from characters nearby alone.
enum class CutRule {
  none,        ///< nothing known
  automaton,   ///< it streams: certain_boundary_from()
  neighbours,  ///< cuts_between()
  whole,       ///< it cuts nowhere but beside characters that do not pass()
};

class PreTokenizer {
 public:
  /// Throws Error{unsupported} naming the construct when neither the automaton nor the slow engine
  /// can run it.
  static PreTokenizer compile(const std::vector<model::PreTokenizer>& steps,
                              model::Reference reference);
  PreTokenizer(PreTokenizer&&) noexcept;
  PreTokenizer& operator=(PreTokenizer&&) noexcept;
  ~PreTokenizer();

  /// True when the chain leaves the text as it is and is one automaton: then scan() may be used.
  bool streams() const;
  /// Streaming form, no allocation: writes the ends of the next pieces of `text` (all of it a
  /// segment) starting at
  /// `*at`, at most `cap`, advances `*at` to the last end written; returns how many. Pieces tile
  /// the text: the chain removes nothing. 0 means `*at == text.size()`. text.size() < 2^31.
  std::size_t scan(std::string_view text, std::uint32_t* at, std::uint32_t* ends,
                   std::size_t cap) const;

  /// The same, and how far the splitter had to look for each piece: `reaches[i]` bytes of the text
  /// decide that piece i ends at ends[i]; text.size() + 1 when the end of the text was looked at. A
  /// piece whose reach is at most text.size() stays what it is whatever is appended. Slower than
  /// the plain form.
  std::size_t scan(std::string_view text, std::uint32_t* at, std::uint32_t* ends,
                   std::uint32_t* reaches, std::size_t cap) const;
  /// The first boundary at or after byte `from` that is one whatever stands before `from`
  /// (text.size() when none is certain before); for a chain that streams. Scanning from there gives
  /// the pieces of the whole text.
  std::uint32_t certain_boundary_from(std::string_view text, std::uint32_t from) const;

  /// General form: may rewrite `text` (ByteLevel prefix space, Metaspace) and drop parts. Pieces
  /// are ranges of the final text.text(), in order, never empty. With ByteLevel in the chain the
  /// pieces are raw bytes: the byte map is applied by the model, and steps after ByteLevel see each
  /// byte as its mapped character.
  void run(unicode::AlignedText& text, std::vector<Piece>& pieces) const {
    run(text, pieces, false);
  }
  /// `open_left`: the text is the right part of a longer one, which cut_rule() cuts here.
  void run(unicode::AlignedText& text, std::vector<Piece>& pieces, bool open_left) const;

  CutRule cut_rule() const;
  /// A piece ends between these neighbours in every text, and the parts of a text that is cut there
  /// have the pieces of the whole. The characters are those of the text that run() is given.
  bool cuts_between(char32_t x, char32_t y) const;
  /// The character has no part in any cut of a chain whose rule is `whole`.
  bool passes(char32_t c) const;
  /// What the chain rewrites of a text that begins and ends inside a piece.
  void rewrite_inside(std::string& text) const;

  /// The chain certainly makes one piece of `text` and leaves it as it is: it has no steps, or only
  /// splits at strings, none of which occurs. Cheap: a substring search. False proves nothing.
  bool keeps_whole(std::string_view text) const;

  /// True when run() on a rewritten text reads its sources (Metaspace "first"): the text must then
  /// be tracked.
  bool needs_sources() const;

  /// The automaton that scan() runs; null when the chain does not stream.
  const Automaton* automaton() const;
  /// Characters to test with: up to `per_class` of each class that the patterns of the chain can
  /// tell apart.
  std::vector<char32_t> alphabet(std::size_t per_class) const;

  /// The pieces' model input is the GPT-2 byte alphabet (the chain holds a ByteLevel step).
  bool byte_level() const;
  /// One line a person reads: which engine runs the chain and why ("automaton: 16 states, 12
  /// classes", "slow engine: lookbehind in ...").
  std::string describe() const;

 private:
  struct Impl;
  static void compile_rule(Impl& impl);
  explicit PreTokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  void run_steps(unicode::AlignedText& text, std::vector<Piece>& pieces, bool open_left) const;
};

}  // namespace toktier::pretok
