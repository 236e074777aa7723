#include "pretok/backtracker.hpp"

#include "unicode/utf8.hpp"

namespace toktier::pretok {

namespace {

bool get(const std::vector<std::uint64_t>& bits, std::size_t i) {
  return ((bits[i / 64] >> (i % 64)) & 1) != 0;
}
void set(std::vector<std::uint64_t>& bits, std::size_t i) {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

}  // namespace

Backtracker::Backtracker(const Program& program)
    : program_(program), ordinal_(program.code.size(), 0) {
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Op op = program.code[pc].op;
    if (op == Op::split || op == Op::ahead || op == Op::atomic) {
      ordinal_[pc] = static_cast<std::uint32_t>(branches_++);
    }
  }
}

void Backtracker::reset(std::string_view text) {
  text_ = text;
  const std::size_t words = (branches_ * (text.size() + 1)) / 64 + 1;
  failed_.assign(words, 0);
  ends_.clear();
  stack_.clear();
  steps_ = 0;
}

std::optional<std::uint32_t> Backtracker::match(std::uint32_t at) { return run(0, at); }

bool Backtracker::before(const Inst& inst, std::uint32_t at) const {
  if (at == 0) return inst.flag;
  if (inst.y == 1 && at == text_.size()) return false;
  std::uint32_t start = at - 1;
  while ((static_cast<unsigned char>(text_[start]) & 0xC0) == 0x80) --start;
  return program_.sets[inst.x].contains(unicode::decode(text_.data() + start).code_point);
}

// Everything still open above `base` lies on the way to the match.
std::uint32_t Backtracker::succeed(std::size_t base, std::uint32_t end) {
  for (std::size_t i = base; i < stack_.size(); ++i) {
    if (stack_[i].leave) ends_[bit(stack_[i].pc, stack_[i].at)] = end;
  }
  stack_.resize(base);
  return end;
}

std::optional<std::uint32_t> Backtracker::run(std::uint32_t pc, std::uint32_t at) {
  const std::size_t base = stack_.size();
  const auto end = static_cast<std::uint32_t>(text_.size());
  stack_.push_back({pc, at, false});
  while (stack_.size() > base) {
    const Frame frame = stack_.back();
    stack_.pop_back();
    pc = frame.pc;
    at = frame.at;
    if (frame.leave) {
      set(failed_, bit(pc, at));
      continue;
    }
    bool alive = true;
    while (alive) {
      ++steps_;
      const Inst& inst = program_.code[pc];
      switch (inst.op) {
        case Op::set: {
          alive = at < end;
          if (!alive) break;
          const unicode::Decoded d = unicode::decode(text_.data() + at);
          alive = program_.sets[inst.x].contains(d.code_point);
          at += d.length;
          ++pc;
          break;
        }
        case Op::jump:
          pc = inst.x;
          break;
        case Op::next:
          alive =
              at == end
                  ? inst.flag
                  : program_.sets[inst.x].contains(unicode::decode(text_.data() + at).code_point);
          ++pc;
          break;
        case Op::before:
          alive = before(inst, at);
          ++pc;
          break;
        case Op::last_newline:
          alive = at == end || (at + 1 == end && text_[at] == '\n');
          ++pc;
          break;
        case Op::split:
          if (const auto known = ends_.find(bit(pc, at)); known != ends_.end()) {
            return succeed(base, known->second);
          }
          if (get(failed_, bit(pc, at))) {
            alive = false;
            break;
          }
          stack_.push_back({pc, at, true});
          stack_.push_back({inst.y, at, false});
          pc = inst.x;
          break;
        case Op::ahead: {
          bool found = ends_.count(bit(pc, at)) != 0;
          if (!found && !get(failed_, bit(pc, at))) {
            const auto inner = run(pc + 1, at);
            found = inner.has_value();
            if (found) {
              ends_[bit(pc, at)] = *inner;
            } else {
              set(failed_, bit(pc, at));
            }
          }
          alive = found != inst.flag;
          pc = inst.y;
          break;
        }
        case Op::atomic: {
          if (const auto known = ends_.find(bit(pc, at)); known != ends_.end()) {
            return succeed(base, known->second);
          }
          if (get(failed_, bit(pc, at))) {
            alive = false;
            break;
          }
          const auto inner = run(pc + 1, at);
          alive = inner.has_value();
          if (!alive) {
            set(failed_, bit(pc, at));
            break;
          }
          stack_.push_back({pc, at, true});
          at = *inner;
          pc = inst.y;
          break;
        }
        case Op::match:
          return succeed(base, at);
      }
    }
  }
  return std::nullopt;
}

}  // namespace toktier::pretok
