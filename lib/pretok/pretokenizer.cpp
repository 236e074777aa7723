#include "pretok/pretokenizer.hpp"

#include "pretok/chain_fold.hpp"
#include "pretok/fast_scanner.hpp"
#include "pretok/steps/step.hpp"
#include "pretok/sync_automaton.hpp"
#include "toktier/error.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace toktier::pretok {

struct PreTokenizer::Impl {
  StepList steps;
  bool byte_level = false;
  std::unique_ptr<Automaton> folded;  // the whole chain, when it folds
  std::unique_ptr<FastScanner> scanner;
  std::unique_ptr<SyncAutomaton> sync;
  std::string reason;                                // why it does not
  std::string slow;                                  // patterns the backtracker runs, and why
  std::optional<std::vector<std::string>> literals;  // all steps split at these strings
};

PreTokenizer::PreTokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;
PreTokenizer::~PreTokenizer() = default;

namespace {

Dialect dialect_of(model::Reference reference) {
  return reference == model::Reference::tiktoken ? fancy_dialect() : onig_dialect();
}

// Rewriting what the byte alphabet has already replaced would need the mapped text itself; no known
// file does it.
void check_order(const StepList& steps) {
  bool mapped = false;
  for (const auto& step : steps) {
    const bool rewrites = dynamic_cast<const SplitStep*>(step.get()) == nullptr;
    if (mapped && rewrites) {
      throw Error(ErrorCode::unsupported,
                  "pre_tokenizer: a ByteLevel or Metaspace step after a ByteLevel step");
    }
    mapped = mapped || step->maps_bytes();
  }
}

}  // namespace

PreTokenizer PreTokenizer::compile(const std::vector<model::PreTokenizer>& specs,
                                   model::Reference reference) {
  auto impl = std::make_unique<Impl>();
  const Dialect dialect = dialect_of(reference);
  for (const model::PreTokenizer& spec : specs) {
    std::visit([&](const auto& one) { add_step(one, dialect, impl->steps); }, spec);
  }
  check_order(impl->steps);
  impl->literals.emplace();
  for (const model::PreTokenizer& spec : specs) {
    const auto* split = std::get_if<model::PreSplit>(&spec);
    if (split == nullptr || split->pattern.is_regex || split->pattern.text.empty() ||
        split->invert) {
      impl->literals.reset();
      break;
    }
    impl->literals->push_back(split->pattern.text);
  }
  std::vector<const PatternStep*> chain;
  for (const auto& step : impl->steps) {
    if (const PatternStep* pattern = step->pattern_step()) {
      if (impl->byte_level && impl->reason.empty()) {
        impl->reason = "a split after ByteLevel, which may cut inside characters";
      }
      if (!pattern->matcher().refusal().empty() && impl->slow.empty()) {
        impl->slow = pattern->matcher().refusal();
      }
      chain.push_back(pattern);
    } else if (!step->does_nothing() && impl->reason.empty()) {
      impl->reason = "a step that rewrites the text or is no pattern";
    }
    impl->byte_level = impl->byte_level || step->maps_bytes();
  }
  if (impl->reason.empty()) impl->folded = fold_chain(chain, &impl->reason);
  if (impl->folded) {
    try {
      impl->scanner = std::make_unique<FastScanner>(*impl->folded);
      impl->sync = std::make_unique<SyncAutomaton>(*impl->folded);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      impl->folded = nullptr;
      impl->reason = error.what();
    }
  }
  return PreTokenizer(std::move(impl));
}

bool PreTokenizer::keeps_whole(std::string_view text) const {
  if (!impl_->literals) return false;
  for (const std::string& literal : *impl_->literals)
    if (text.find(literal) != std::string_view::npos) return false;
  return true;
}

bool PreTokenizer::streams() const { return impl_->folded != nullptr; }
bool PreTokenizer::byte_level() const { return impl_->byte_level; }

const Automaton* PreTokenizer::automaton() const { return impl_->folded.get(); }

std::vector<char32_t> PreTokenizer::alphabet(std::size_t per_class) const {
  std::vector<unicode::CodePointSet> sets;
  for (const auto& step : impl_->steps) {
    const PatternStep* pattern = step->pattern_step();
    if (pattern == nullptr) continue;
    const auto& own = pattern->matcher().program().sets;
    sets.insert(sets.end(), own.begin(), own.end());
  }
  const ClassMap map(sets);
  std::vector<char32_t> out;
  for (std::uint32_t c = 0; c < map.classes(); ++c) {
    std::size_t taken = 0;
    for (const char32_t one : map.representatives(c)) {
      const bool surrogate = one >= 0xD800 && one <= 0xDFFF;
      if (surrogate || taken == per_class) continue;
      out.push_back(one);
      ++taken;
    }
  }
  return out;
}

bool PreTokenizer::needs_sources() const {
  return std::any_of(impl_->steps.begin(), impl_->steps.end(),
                     [](const auto& step) { return step->needs_sources(); });
}

std::size_t PreTokenizer::scan(std::string_view text, std::uint32_t* at, std::uint32_t* ends,
                               std::size_t cap) const {
  return impl_->scanner->scan(text, at, ends, cap);
}

std::size_t PreTokenizer::scan(std::string_view text, std::uint32_t* at, std::uint32_t* ends,
                               std::uint32_t* reaches, std::size_t cap) const {
  std::size_t count = 0;
  while (count < cap && *at < text.size()) {
    std::uint32_t reach = 0;
    *at = automaton_match(*impl_->folded, text, *at, &reach);
    reaches[count] = reach;
    ends[count++] = *at;
  }
  return count;
}

std::uint32_t PreTokenizer::certain_boundary_from(std::string_view text, std::uint32_t from) const {
  return impl_->sync->boundary_from(text, from);
}

void PreTokenizer::run(unicode::AlignedText& text, std::vector<Piece>& pieces) const {
  pieces.clear();
  const auto size = static_cast<std::uint32_t>(text.text().size());
  if (size == 0) return;
  if (impl_->folded) {
    std::uint32_t ends[256];
    for (std::uint32_t at = 0; at < size;) {
      std::uint32_t begin = at;
      const std::size_t count = scan(text.text(), &at, ends, std::size(ends));
      for (std::size_t i = 0; i < count; begin = ends[i++]) pieces.push_back({begin, ends[i]});
    }
    return;
  }
  pieces.push_back({0, size});
  run_steps(text, pieces);
}

void PreTokenizer::run_steps(unicode::AlignedText& text, std::vector<Piece>& pieces) const {
  ChainState state{text, pieces};
  for (const auto& step : impl_->steps) step->apply(state);
}

std::string PreTokenizer::describe() const {
  if (impl_->folded) {
    return "automaton: " + std::to_string(impl_->folded->states()) + " states, " +
           std::to_string(impl_->folded->map().classes()) + " classes";
  }
  std::string text = "step by step: " + impl_->reason;
  if (!impl_->slow.empty()) text += "; slow engine: " + impl_->slow;
  return text;
}

}  // namespace toktier::pretok
