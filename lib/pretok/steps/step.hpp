#pragma once
// One pre-tokenizer step of a chain. Immutable and shared by threads once made; scratch space is
// the caller's.

#include "pretok/matcher.hpp"
#include "pretok/pretokenizer.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::pretok {

/// What a chain works on. `pieces` are ranges of text.text(), in order, none empty.
struct ChainState {
  unicode::AlignedText& text;
  std::vector<Piece>& pieces;
  /// A ByteLevel step has run: later steps see each byte of a piece as the character it is mapped
  /// to.
  bool byte_mapped = false;
  /// The first piece begins inside a piece of a longer text: nothing is put before it.
  bool open_left = false;
};

/// What a step that rewrites makes of the characters inside a piece: one of them another.
struct InsideRewrite {
  char32_t from = 0, to = 0;
  char32_t of(char32_t c) const { return c == from ? to : c; }
};

/// Lists one SplitStep::apply reuses for all its pieces.
using SplitScratch = std::vector<Stretch>;

class PatternStep;

class Step {
 public:
  virtual ~Step() = default;
  virtual void apply(ChainState& state) const = 0;
  /// The step as matches of a pattern and what becomes of them, when that is all it does; else
  /// null.
  virtual const PatternStep* pattern_step() const { return nullptr; }
  /// The step, as the model's bytes see it, leaves every text as it is and cuts nothing.
  virtual bool does_nothing() const { return false; }
  virtual bool maps_bytes() const { return false; }
  /// Set for a step that, but for what it puts before a piece, rewrites character by character.
  virtual const InsideRewrite* inside() const { return nullptr; }
  /// apply() reads text.source() of a rewritten text: it must be tracked.
  virtual bool needs_sources() const { return false; }
};

/// A step that cuts each piece by itself and rewrites nothing.
class SplitStep : public Step {
 public:
  void apply(ChainState& state) const final;
  /// Appends the parts of `text` to keep, as ranges of it, in order; empty ones are dropped by the
  /// caller.
  virtual void split(std::string_view text, std::vector<Piece>& parts,
                     SplitScratch& scratch) const = 0;
};

/// Matches of a pattern, and a behaviour for them.
class PatternStep final : public SplitStep {
 public:
  PatternStep(Matcher matcher, model::SplitBehavior behavior, bool invert)
      : matcher_(std::move(matcher)), behavior_(behavior), invert_(invert) {}
  void split(std::string_view text, std::vector<Piece>& parts,
             SplitScratch& scratch) const override;
  const PatternStep* pattern_step() const override { return this; }

  const Matcher& matcher() const { return matcher_; }
  model::SplitBehavior behavior() const { return behavior_; }
  bool invert() const { return invert_; }

 private:
  Matcher matcher_;
  model::SplitBehavior behavior_;
  bool invert_;
};

using StepList = std::vector<std::unique_ptr<Step>>;

// One function a step type, each in a file of its own: appends what the step does to `steps`.
void add_step(const model::PreByteLevel& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreSplit& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreDigits& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PrePunctuation& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreMetaspace& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreWhitespace& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreWhitespaceSplit& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreBert& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreCharDelimiterSplit& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreUnicodeScripts& spec, const Dialect& dialect, StepList& steps);
void add_step(const model::PreFixedLength& spec, const Dialect& dialect, StepList& steps);

/// One character of `set`, as a matcher.
Matcher match_set(const unicode::CodePointSet& set);
/// The maximal runs of `set`, and of nothing else.
Matcher match_runs(const unicode::CodePointSet& set);

/// Turns stretches into the parts to keep.
void apply_behavior(const std::vector<Stretch>& stretches, model::SplitBehavior behavior,
                    bool invert, std::vector<Piece>& parts);

/// The GPT-2 alphabet: the character that stands for each byte.
char32_t mapped_character(unsigned char byte);

}  // namespace toktier::pretok
