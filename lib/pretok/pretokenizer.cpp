#include "pretok/pretokenizer.hpp"

#include "pretok/chain_fold.hpp"
#include "pretok/fast_scanner.hpp"
#include "pretok/neighbours.hpp"
#include "pretok/steps/step.hpp"
#include "pretok/sync_automaton.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

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
  CutRule rule = CutRule::none;
  std::vector<NeighbourRule> neighbours;  // any of them cuts
  // Set when the first step rewrites the text and the cuts come after it: what it does at the begin
  // of a text is not done at that of a right part.
  bool rewrites_first = false;
  std::u32string not_passing;
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

/// The rules of the pattern steps from `at` on, up to the first step that is none or has none.
std::vector<NeighbourRule> neighbour_rules(const StepList& steps, std::size_t at) {
  std::vector<NeighbourRule> rules;
  for (; at < steps.size() && !steps[at]->maps_bytes(); ++at) {
    const PatternStep* pattern = steps[at]->pattern_step();
    if (pattern == nullptr) break;
    auto rule = NeighbourRule::of(*pattern);
    if (!rule) break;
    rules.push_back(std::move(*rule));
  }
  return rules;
}

bool does_nothing_from(const StepList& steps, std::size_t at) {
  return std::all_of(steps.begin() + static_cast<std::ptrdiff_t>(at), steps.end(),
                     [](const auto& step) { return step->does_nothing(); });
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
  compile_rule(*impl);
  return PreTokenizer(std::move(impl));
}

void PreTokenizer::compile_rule(Impl& impl) {
  // Strings that a chain splits at, and nothing else, are rare where it is written so.
  if (impl.folded && (!impl.literals || impl.literals->empty())) {
    impl.rule = impl.literals ? CutRule::whole : CutRule::automaton;
    return;
  }
  impl.neighbours = neighbour_rules(impl.steps, 0);
  if (!impl.neighbours.empty() && !impl.literals) {
    impl.rule = CutRule::neighbours;
    return;
  }
  if (impl.literals) {
    impl.rule = CutRule::whole;
    for (const std::string& literal : *impl.literals) {
      for (std::size_t at = 0; at < literal.size();) {
        const unicode::Decoded d = unicode::decode(literal.data() + at);
        impl.not_passing.push_back(d.code_point);
        at += d.length;
      }
    }
    return;
  }
  if (impl.steps.empty() || impl.steps[0]->inside() == nullptr) {
    if (does_nothing_from(impl.steps, 0)) impl.rule = CutRule::whole;
    return;
  }
  impl.rewrites_first = true;
  impl.neighbours = neighbour_rules(impl.steps, 1);
  if (!impl.neighbours.empty())
    impl.rule = CutRule::neighbours;
  else if (does_nothing_from(impl.steps, 1))
    impl.rule = CutRule::whole;
}

CutRule PreTokenizer::cut_rule() const { return impl_->rule; }

bool PreTokenizer::cuts_between(char32_t x, char32_t y) const {
  if (impl_->rewrites_first) {
    const InsideRewrite& inside = *impl_->steps[0]->inside();
    x = inside.of(x);
    y = inside.of(y);
  }
  return std::any_of(impl_->neighbours.begin(), impl_->neighbours.end(),
                     [&](const NeighbourRule& rule) { return rule.cuts(x, y); });
}

bool PreTokenizer::passes(char32_t c) const {
  return impl_->not_passing.find(c) == std::u32string::npos;
}

void PreTokenizer::rewrite_inside(std::string& text) const {
  if (!impl_->rewrites_first) return;
  const InsideRewrite& inside = *impl_->steps[0]->inside();
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Decoded d = unicode::decode(text.data() + at);
    unicode::append_utf8(out, inside.of(d.code_point));
    at += d.length;
  }
  text = std::move(out);
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

void PreTokenizer::run(unicode::AlignedText& text, std::vector<Piece>& pieces,
                       bool open_left) const {
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
  run_steps(text, pieces, open_left);
}

void PreTokenizer::run_steps(unicode::AlignedText& text, std::vector<Piece>& pieces,
                             bool open_left) const {
  ChainState state{text, pieces};
  state.open_left = open_left && impl_->rewrites_first;
  for (const auto& step : impl_->steps) {
    step->apply(state);
    state.open_left = false;  // the first step's begin is the only one that may be open
  }
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
