#include "pretok/chain_fold.hpp"

#include "pretok/gapless.hpp"
#include "toktier/error.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace toktier::pretok {

using unicode::CodePointSet;

namespace {

constexpr std::size_t kMaxChunkStrings = 20000;

// A split of the chain over its own classes, tiling every text.
struct Level {
  std::unique_ptr<Automaton> owned;
  const Automaton* automaton = nullptr;
  std::vector<CodePointSet> sets;
  Table tiles;
  // What it means for the splits after it:
  bool by_one_set = false;  // cuts at the edges of `set`
  bool chunks = false;      // and cuts runs of `set` further
  CodePointSet set;
  std::vector<std::uint32_t> symbol;  // by class of the joint map; the last is the end
};

std::uint32_t add_node(Ast& ast, Node node) {
  ast.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(ast.nodes.size() - 1);
}

std::uint32_t add_repeat(Ast& ast, std::uint32_t set, std::uint32_t min, std::uint32_t max) {
  Node one;
  one.kind = NodeKind::set;
  one.set = set;
  Node many;
  many.kind = NodeKind::repeat;
  many.min = min;
  many.max = max;
  many.kids = {add_node(ast, std::move(one))};
  return add_node(ast, std::move(many));
}

// The pieces of a behaviour other than "isolated", for matches of one character of `set` (S; N is
// the rest): contiguous S+|N+, merged with previous N+S?|S, merged with next S?N+|S.
Program behavior_program(const CodePointSet& set, model::SplitBehavior behavior) {
  Ast ast;
  const std::uint32_t in = ast.intern(set);
  const std::uint32_t out = ast.intern(set.complement());
  Node first;
  Node second;
  first.kind = NodeKind::concat;
  if (behavior == model::SplitBehavior::contiguous) {
    first.kids = {add_repeat(ast, in, 1, kNoLimit)};
    second.kids = {add_repeat(ast, out, 1, kNoLimit)};
    second.kind = NodeKind::concat;
  } else {
    const std::uint32_t run = add_repeat(ast, out, 1, kNoLimit);
    const std::uint32_t sign = add_repeat(ast, in, 0, 1);
    first.kids = behavior == model::SplitBehavior::merged_with_next
                     ? std::vector<std::uint32_t>{sign, run}
                     : std::vector<std::uint32_t>{run, sign};
    second.kind = NodeKind::set;
    second.set = in;
  }
  Node either;
  either.kind = NodeKind::alternate;
  either.kids = {add_node(ast, std::move(first)), 0};
  either.kids[1] = add_node(ast, std::move(second));
  ast.root = add_node(ast, std::move(either));
  return compile_program(std::move(ast));
}

// The set when the program is "one character of a set", as the sign steps have it.
const CodePointSet* one_character(const Program& program) {
  if (program.code.size() != 2 || program.code[0].op != Op::set) return nullptr;
  return &program.sets[program.code[0].x];
}

// Sets by_one_set, chunks and set of a level whose matches stay in one set of classes.
void classify(Level* level, const Table& plain) {
  const ClassMap& map = level->automaton->map();
  std::vector<bool> in(map.classes(), false);
  for (std::uint32_t c = 0; c < map.classes(); ++c) in[c] = plain.next(0, c) != Automaton::kDead;
  bool chunks = false;
  for (std::uint32_t s = 0; s < plain.states; ++s) {
    for (std::uint32_t c = 0; c < map.classes(); ++c) {
      const bool alive = plain.next(s, c) != Automaton::kDead;
      if (alive && !in[c]) return;
      if (!alive && in[c]) chunks = true;
      // Each character taken must be a possible end: the match then never gives back.
      if (s != 0 && !plain.matched(s, c)) return;
    }
    if (s != 0 && !plain.matched(s, map.classes())) return;
  }
  CodePointSet set;
  for (std::uint32_t i = 0; i < level->sets.size(); ++i) {
    // The union of the classes in question is a set of the pattern in every case we fold.
    bool same = true;
    for (std::uint32_t c = 0; c < map.classes() && same; ++c) same = map.holds(i, c) == in[c];
    if (!same) continue;
    level->set = level->sets[i];
    level->chunks = chunks;
    level->by_one_set = true;
    return;
  }
}

bool make_level(const PatternStep& step, Level* level, std::string* reason) {
  using model::SplitBehavior;
  const Matcher& matcher = step.matcher();
  if (matcher.automaton() == nullptr) {
    *reason = matcher.refusal();
    return false;
  }
  level->automaton = matcher.automaton();
  level->sets = matcher.program().sets;
  const SplitBehavior behavior = step.behavior();
  if (behavior == SplitBehavior::removed) {
    level->tiles = table_of(*level->automaton);
    if (step.invert() && always_matches(level->tiles)) return true;
    *reason = "a split that removes text";
    return false;
  }
  if (behavior != SplitBehavior::isolated) {
    // Inverted, "matches" are the gaps, which are runs: only "contiguous" does not care.
    const bool gaps = step.invert() && behavior != SplitBehavior::contiguous;
    const CodePointSet* set = gaps ? nullptr : one_character(matcher.program());
    if (set == nullptr) {
      *reason = "a split that merges matches of several characters";
      return false;
    }
    const Program program = behavior_program(*set, behavior);
    level->owned = build_automaton(program, reason);
    if (!level->owned) return false;
    level->automaton = level->owned.get();
    level->sets = program.sets;
    level->tiles = table_of(*level->automaton);
    if (behavior == SplitBehavior::contiguous) {
      level->by_one_set = true;
      level->set = *set;
    }
    return true;
  }
  const Table plain = table_of(*level->automaton);
  classify(level, plain);
  level->tiles = plain;
  if (!always_matches(level->tiles) && !close_gaps(&level->tiles)) {
    *reason = "a pattern whose gaps need more than one character to be known";
    return false;
  }
  return true;
}

// Number of pieces into which `table` cuts a text of these symbols.
std::size_t count_pieces(const Table& table, const std::vector<std::uint32_t>& text) {
  std::size_t pieces = 0;
  for (std::size_t at = 0; at < text.size(); ++pieces) {
    std::uint32_t state = 0;
    std::size_t end = at;
    for (std::size_t i = at;; ++i) {
      const std::uint32_t symbol = i < text.size() ? text[i] : table.symbols - 1;
      if (table.matched(state, symbol)) end = i;
      state = table.next(state, symbol);
      if (state == Automaton::kDead || i == text.size()) break;
    }
    at = end > at ? end : at + 1;
  }
  return pieces;
}

// Every chunk the level can cut from a run of its set is one piece of `last`. Chunks are enumerated
// over the joint classes; false when there are too many to enumerate.
bool chunks_stay_whole(const Level& level, const Level& last,
                       const std::vector<std::uint32_t>& classes) {
  struct Partial {
    std::uint32_t state;
    std::vector<std::uint32_t> text;
  };
  std::vector<Partial> open = {{0, {}}};
  for (std::size_t at = 0; at < open.size(); ++at) {
    if (open.size() > kMaxChunkStrings) return false;
    const Partial partial = open[at];
    for (const std::uint32_t c : classes) {
      const std::uint16_t next = level.tiles.next(partial.state, level.symbol[c]);
      if (next == Automaton::kDead) continue;
      Partial longer{next, partial.text};
      longer.text.push_back(last.symbol[c]);
      if (count_pieces(last.tiles, longer.text) != 1) return false;
      open.push_back(std::move(longer));
    }
  }
  return true;
}

class Folder {
 public:
  explicit Folder(std::vector<Level> levels) : levels_(std::move(levels)) {}

  std::unique_ptr<Automaton> run(std::string* reason) {
    std::vector<CodePointSet> sets;
    for (const Level& level : levels_) {
      sets.insert(sets.end(), level.sets.begin(), level.sets.end());
    }
    joint_ = ClassMap(sets);
    for (Level& level : levels_) {
      for (std::uint32_t c = 0; c < joint_.classes(); ++c) {
        level.symbol.push_back(level.automaton->map().of(joint_.representatives(c)[0]));
      }
      level.symbol.push_back(level.automaton->end_symbol());
    }
    if (!find_domains(reason)) return nullptr;
    return build();
  }

 private:
  std::vector<Level> levels_;
  ClassMap joint_;
  std::vector<std::uint32_t> domain_;          // by joint class: bit i = in the set of level i
  std::map<std::uint32_t, std::size_t> body_;  // by domain: the level that cuts inside it

  bool find_domains(std::string* reason) {
    const std::size_t last = levels_.size() - 1;
    if (last > 16) {
      *reason = "a chain of more than 17 splits";
      return false;
    }
    domain_.assign(joint_.classes(), 0);
    for (std::size_t i = 0; i < last; ++i) {
      for (std::uint32_t c = 0; c < joint_.classes(); ++c) {
        if (levels_[i].set.contains(joint_.representatives(c)[0])) domain_[c] |= 1U << i;
      }
    }
    for (std::uint32_t c = 0; c < joint_.classes(); ++c) body_.emplace(domain_[c], last);
    for (std::size_t i = 0; i < last; ++i) {
      if (!levels_[i].chunks) continue;
      // A chunk must lie in one domain: all of the set agrees on the later sets, and no other level
      // cuts it.
      std::vector<std::uint32_t> classes;
      for (std::uint32_t c = 0; c < joint_.classes(); ++c) {
        if ((domain_[c] >> i & 1U) != 0) classes.push_back(c);
      }
      for (const std::uint32_t c : classes) {
        std::size_t& body = body_[domain_[c]];
        if (domain_[c] >> (i + 1) != domain_[classes[0]] >> (i + 1) ||
            (body != last && body != i)) {
          *reason = "chunks that a later split cuts again";
          return false;
        }
        body = i;
      }
      if (!chunks_stay_whole(levels_[i], levels_[last], classes)) {
        *reason = "chunks that the last split cuts again";
        return false;
      }
    }
    return true;
  }

  std::unique_ptr<Automaton> build() {
    Table out;
    out.symbols = joint_.classes() + 1;
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint16_t> numbers;
    std::vector<std::pair<std::uint32_t, std::uint16_t>> states = {
        {0, 0}};  // 0: the start, no domain
    const auto number = [&](std::uint32_t domain, std::uint16_t q) {
      const auto [at, fresh] =
          numbers.emplace(std::pair(domain, q), static_cast<std::uint16_t>(states.size()));
      if (fresh) states.push_back(at->first);
      return at->second;
    };
    for (std::size_t s = 0; s < states.size(); ++s) {
      const auto [domain, q] = states[s];
      for (std::uint32_t c = 0; c < out.symbols; ++c) {
        const bool end = c + 1 == out.symbols;
        if (s == 0) {
          const Level* body = end ? nullptr : &levels_[body_[domain_[c]]];
          const std::uint16_t next = end ? Automaton::kDead : body->tiles.next(0, body->symbol[c]);
          out.delta.push_back(next == Automaton::kDead ? Automaton::kDead
                                                       : number(domain_[c], next));
          continue;
        }
        const Level& body = levels_[body_[domain]];
        const bool outside = end || domain_[c] != domain;
        const std::uint32_t symbol = outside ? body.symbol.back() : body.symbol[c];
        const std::uint16_t match = body.tiles.matched(q, symbol) ? Automaton::kMatch : 0;
        const std::uint16_t next = outside ? Automaton::kDead : body.tiles.next(q, symbol);
        out.delta.push_back(static_cast<std::uint16_t>(
            match | (next == Automaton::kDead ? Automaton::kDead : number(domain, next))));
      }
    }
    out.states = static_cast<std::uint32_t>(states.size());
    if (!always_matches(out)) {
      throw Error(ErrorCode::internal, "folded splits do not tile the text");
    }
    minimise(out.symbols, &out.states, &out.delta);
    return std::make_unique<Automaton>(std::move(joint_), out.states, std::move(out.delta));
  }
};

// No split at all: the text is one piece.
Program whole_text_program() {
  Ast ast;
  ast.root = add_repeat(ast, ast.intern(CodePointSet::all()), 1, kNoLimit);
  return compile_program(std::move(ast));
}

}  // namespace

std::unique_ptr<Automaton> fold_chain(const std::vector<const PatternStep*>& chain,
                                      std::string* reason) {
  if (chain.empty()) return build_automaton(whole_text_program(), reason);
  std::vector<Level> levels;
  for (const PatternStep* step : chain) {
    Level level;
    if (!make_level(*step, &level, reason)) return nullptr;
    levels.push_back(std::move(level));
  }
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    if (!levels[i].by_one_set) {
      *reason = "a chain whose split " + std::to_string(i + 1) + " cuts by more than one set";
      return nullptr;
    }
  }
  try {
    return Folder(std::move(levels)).run(reason);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    *reason = error.what();
    return nullptr;
  }
}

}  // namespace toktier::pretok
