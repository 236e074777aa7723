#include "pretok/automaton.hpp"

#include "toktier/error.hpp"

#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace toktier::pretok {

namespace {

using ThreadList = std::vector<std::uint16_t>;

struct ListHash {
  std::size_t operator()(const ThreadList& list) const {
    return std::hash<std::string_view>()(std::string_view(
        reinterpret_cast<const char*>(list.data()), list.size() * sizeof(std::uint16_t)));
  }
};

class Determiniser {
 public:
  Determiniser(const Program& program, const ClassMap& map)
      : program_(program), map_(map), seen_(program.code.size(), 0), queued_(program.code.size()) {}

  // False when there are too many states.
  bool run() {
    state_of({0});
    for (std::size_t s = 0; s < lists_.size(); ++s) {
      for (std::uint32_t c = 0; c <= map_.classes(); ++c) {
        ThreadList next;
        const bool matched = step(*lists_[s], c, &next);
        const std::uint16_t target = next.empty() ? Automaton::kDead : state_of(std::move(next));
        delta_.push_back(matched ? static_cast<std::uint16_t>(target | Automaton::kMatch) : target);
        if (lists_.size() > Automaton::kMaxStates) return false;
      }
    }
    return true;
  }

  std::uint32_t states() const { return static_cast<std::uint32_t>(lists_.size()); }
  std::vector<std::uint16_t> take_delta() { return std::move(delta_); }

 private:
  const Program& program_;
  const ClassMap& map_;
  std::unordered_map<ThreadList, std::uint16_t, ListHash> states_;
  std::vector<const ThreadList*> lists_;  // by state; nodes of the map do not move
  std::vector<std::uint16_t> delta_;
  std::vector<std::uint32_t> seen_;  // by instruction: the round that visited it
  std::vector<std::uint32_t> queued_;
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> stack_;

  std::uint16_t state_of(ThreadList list) {
    const auto [at, fresh] =
        states_.emplace(std::move(list), static_cast<std::uint16_t>(lists_.size()));
    if (fresh) lists_.push_back(&at->first);
    return at->second;
  }

  // Follows the empty moves of `list` in order, knowing that `symbol` comes next. Returns whether a
  // match ends here; `next` gets the threads that take the symbol.
  bool step(const ThreadList& list, std::uint32_t symbol, ThreadList* next) {
    const bool end = symbol == map_.classes();
    ++round_;
    for (const std::uint16_t start : list) {
      stack_.assign(1, start);
      while (!stack_.empty()) {
        const std::uint32_t pc = stack_.back();
        stack_.pop_back();
        if (seen_[pc] == round_) continue;
        seen_[pc] = round_;
        const Inst& inst = program_.code[pc];
        switch (inst.op) {
          case Op::set:
            if (!end && map_.holds(inst.x, symbol) && queued_[pc + 1] != round_) {
              queued_[pc + 1] = round_;
              next->push_back(static_cast<std::uint16_t>(pc + 1));
            }
            break;
          case Op::split:
            stack_.push_back(inst.y);
            stack_.push_back(inst.x);
            break;
          case Op::jump:
            stack_.push_back(inst.x);
            break;
          case Op::next:
            if (end ? inst.flag : map_.holds(inst.x, symbol)) stack_.push_back(pc + 1);
            break;
          case Op::match:
            return true;
          default:
            throw Error(ErrorCode::internal, "automaton given an instruction it does not have");
        }
      }
    }
    return false;
  }
};

}  // namespace

void minimise(std::uint32_t symbols, std::uint32_t* states, std::vector<std::uint16_t>* delta) {
  const std::uint32_t count = *states;
  std::vector<std::uint16_t> block(count, 0);
  std::uint32_t blocks = 1;
  for (;;) {
    std::unordered_map<std::string, std::uint16_t> names;
    std::vector<std::uint16_t> refined(count);
    std::string signature;
    for (std::uint32_t s = 0; s < count; ++s) {
      signature.clear();
      const auto put = [&signature](std::uint16_t v) {
        signature.push_back(static_cast<char>(v & 0xFF));
        signature.push_back(static_cast<char>(v >> 8));
      };
      put(block[s]);
      for (std::uint32_t c = 0; c < symbols; ++c) {
        const std::uint16_t raw = (*delta)[s * symbols + c];
        const std::uint16_t target = raw & 0x7FFF;
        put(static_cast<std::uint16_t>((raw & Automaton::kMatch) |
                                       (target == Automaton::kDead ? target : block[target])));
      }
      refined[s] = names.emplace(signature, static_cast<std::uint16_t>(names.size())).first->second;
    }
    block = std::move(refined);
    if (names.size() == blocks) break;
    blocks = static_cast<std::uint32_t>(names.size());
  }
  std::vector<std::uint16_t> out(static_cast<std::size_t>(blocks) * symbols);
  for (std::uint32_t s = 0; s < count; ++s) {
    for (std::uint32_t c = 0; c < symbols; ++c) {
      const std::uint16_t raw = (*delta)[s * symbols + c];
      const std::uint16_t target = raw & 0x7FFF;
      out[block[s] * symbols + c] = static_cast<std::uint16_t>(
          (raw & Automaton::kMatch) | (target == Automaton::kDead ? target : block[target]));
    }
  }
  *states = blocks;
  *delta = std::move(out);
}

std::unique_ptr<Automaton> build_automaton(const Program& program, std::string* refusal) {
  *refusal = program.automaton_refusal;
  if (!refusal->empty()) return nullptr;
  try {
    ClassMap map(program.sets);
    Determiniser determiniser(program, map);
    if (!determiniser.run()) {
      *refusal = "more than " + std::to_string(Automaton::kMaxStates) + " states";
      return nullptr;
    }
    std::uint32_t states = determiniser.states();
    std::vector<std::uint16_t> delta = determiniser.take_delta();
    minimise(map.classes() + 1, &states, &delta);
    return std::make_unique<Automaton>(std::move(map), states, std::move(delta));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    *refusal = error.what();
    return nullptr;
  }
}

}  // namespace toktier::pretok
