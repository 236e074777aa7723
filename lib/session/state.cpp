#include "session/state.hpp"

#include <algorithm>

namespace toktier::session {

std::size_t State::Leaf::memory() const {
  constexpr std::size_t kFrame = 160;  // the object, its counts, its place in lists
  if (given) return kFrame + given->ids.size() * sizeof(TokenId) + given->text.size();
  return kFrame + block->text.size() + block->ids.size() * sizeof(TokenId) +
         block->marks.size() * sizeof(Rope::Mark) + block->carries.size() * sizeof(double);
}

std::size_t State::bytes() const {
  std::size_t sum = 0;
  for (const Leaf& leaf : leaves) sum += leaf.bytes();
  return sum;
}

std::size_t State::tokens() const {
  std::size_t sum = 0;
  for (const Leaf& leaf : leaves) sum += leaf.tokens();
  return sum;
}

std::size_t State::plain_bytes() const {
  // Given ids stand between runs, so all before the second run is the first one.
  return leaves.empty() || leaves.front().given ? 0 : plain_bytes_of(marks.front());
}

std::size_t State::plain_bytes_of(const std::vector<Mark>& run) {
  std::size_t plain = 0;
  for (const Mark& mark : run) {
    if (!mark.trusted) break;
    plain = mark.end;
  }
  return plain;
}

void State::append_text(std::size_t begin, std::size_t end, std::string& out) const {
  std::size_t at = 0;
  for (const Leaf& leaf : leaves) {
    if (at >= end) return;
    const std::size_t size = leaf.bytes();
    if (at + size > begin) {
      const std::size_t from = std::max(begin, at) - at;
      out.append(leaf.text().substr(from, std::min(end, at + size) - at - from));
    }
    at += size;
  }
}

std::size_t State::common_prefix(std::string_view other) const {
  std::size_t done = 0;
  for (const Leaf& leaf : leaves) {
    const std::string_view mine = leaf.text();
    const std::string_view theirs = other.substr(done, mine.size());
    if (mine == theirs) {
      done += mine.size();
      continue;
    }
    const auto differ = std::mismatch(theirs.begin(), theirs.end(), mine.begin()).first;
    return done + static_cast<std::size_t>(differ - theirs.begin());
  }
  return done;
}

void State::keep_front(std::size_t bytes) {
  std::size_t at = 0;
  std::size_t kept = 0;
  for (; kept < leaves.size() && at <= bytes; ++kept) at += leaves[kept].bytes();
  if (kept == leaves.size()) return;
  leaves.resize(kept);
  fit_marks();
}

void State::fit_marks() {
  std::size_t runs = 0;
  std::size_t end = 0;  // of the last run
  for (const Leaf& leaf : leaves) {
    if (leaf.begins) {
      ++runs;
      end = 0;
    }
    if (leaf.block) end += leaf.bytes();
  }
  marks.resize(runs);
  if (runs == 0) return;
  std::vector<Mark>& last = marks.back();
  while (last.size() > 1 && last[last.size() - 2].end >= end) last.pop_back();
  last.back().end = std::min(last.back().end, end);
}

State Row::state() const {
  settle();
  State state;
  state.label = label_;
  state.fresh = fresh_;
  for (const Section& section : sections_) {
    if (section.given) {
      state.leaves.push_back({nullptr, section.given, false});
      continue;
    }
    bool begins = true;
    for (auto& block : section.run->document.rope().blocks()) {
      state.leaves.push_back({std::move(block), nullptr, begins});
      begins = false;
    }
    state.marks.emplace_back();
    for (const Mark& mark : section.run->marks)
      state.marks.back().push_back({mark.end, mark.trusted, mark.label});
  }
  return state;
}

void Row::restore(const State& state) {
  clear();
  label_ = state.label;
  fresh_ = state.fresh;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < state.leaves.size();) {
    Section section;
    if (state.leaves[i].given) {
      section.given = std::const_pointer_cast<Given>(state.leaves[i++].given);
    } else {
      std::vector<std::shared_ptr<const Rope::Block>> blocks;
      do {
        blocks.push_back(state.leaves[i++].block);
      } while (i < state.leaves.size() && state.leaves[i].block && !state.leaves[i].begins);
      section.run = std::make_shared<Run>(Document(*pipeline_, filter_, grain_));
      section.run->document.restore(blocks);
      std::size_t from = 0;
      for (const State::Mark& mark : state.marks[runs++]) {
        section.run->marks.push_back({mark.end, mark.trusted, mark.label, kUnknown});
        const Span range{static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(mark.end)};
        from = mark.end;
        std::vector<Span>& untrusted = section.run->untrusted;
        if (mark.trusted) continue;
        if (!untrusted.empty() && untrusted.back().end == range.begin)
          untrusted.back().end = range.end;
        else
          untrusted.push_back(range);
      }
    }
    sections_.push_back(std::move(section));
  }
  number_from(0);
}

}  // namespace toktier::session
