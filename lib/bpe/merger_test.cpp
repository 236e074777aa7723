#include "bpe/merger.hpp"

#include "bpe/merge_lanes.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <map>
#include <numeric>
#include <random>

using namespace toktier::bpe;

namespace {

// The textbook loop over a map: the slow twin.
struct Textbook {
  std::map<std::pair<Symbol, Symbol>, std::pair<std::uint32_t, Symbol>>
      rules;  // pair -> priority, result
  std::vector<std::pair<Symbol, std::uint32_t>> encode(const std::vector<Symbol>& in) const {
    std::vector<std::pair<Symbol, std::uint32_t>> out;
    for (std::uint32_t i = 0; i < in.size(); ++i) out.emplace_back(in[i], i);
    while (true) {
      std::uint32_t best = 0xFFFFFFFF;
      std::size_t at = 0;
      for (std::size_t i = 0; i + 1 < out.size(); ++i) {
        const auto rule = rules.find({out[i].first, out[i + 1].first});
        if (rule != rules.end() && rule->second.first < best) best = rule->second.first, at = i;
      }
      if (best == 0xFFFFFFFF) return out;
      out[at].first = rules.at({out[at].first, out[at + 1].first}).second;
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
  }
};

struct World {
  Textbook textbook;
  PairTable pairs;
};

// Random merge tables over strings of a small alphabet: inversions, several merges for one result,
// and (ties) several results of one priority.
World random_world(std::mt19937& rng, std::size_t alphabet, std::size_t merges, bool ties,
                   std::size_t longest = 12) {
  World world;
  std::vector<std::string> texts;
  std::map<std::string, Symbol> ids;
  const auto id_of = [&](const std::string& text) {
    const auto [it, fresh] = ids.try_emplace(text, static_cast<Symbol>(texts.size()));
    if (fresh) texts.push_back(text);
    return it->second;
  };
  for (std::size_t c = 0; c < alphabet; ++c) id_of(std::string(1, static_cast<char>('a' + c)));
  std::vector<PairTable::Entry> entries;
  std::uint32_t priority = 0;
  for (std::size_t i = 0; i < merges; ++i) {
    const Symbol a = static_cast<Symbol>(rng() % texts.size()),
                 b = static_cast<Symbol>(rng() % texts.size());
    if (texts[a].size() + texts[b].size() > longest || world.textbook.rules.count({a, b})) continue;
    const Symbol r = id_of(texts[a] + texts[b]);
    if (!ties || rng() % 3 == 0) ++priority;
    world.textbook.rules[{a, b}] = {priority, r};
    entries.push_back({a, b, priority, r});
  }
  world.pairs.build(entries);
  return world;
}

// With windows of the default size, which these texts do not fill, and with small ones.
std::size_t check(const World& world, const std::vector<Symbol>& in, MergeScratch& scratch) {
  const auto expected = world.textbook.encode(in);
  for (const std::size_t window : {std::size_t{0}, std::size_t{48}, std::size_t{100}}) {
    scratch.window = window;
    std::vector<Symbol> symbols = in;
    std::vector<std::uint32_t> starts(in.size());
    const std::size_t n =
        Merger(world.pairs).merge(symbols.data(), starts.data(), in.size(), scratch);
    REQUIRE(n == expected.size());
    for (std::size_t i = 0; i < n; ++i) {
      REQUIRE(symbols[i] == expected[i].first);
      REQUIRE(starts[i] == expected[i].second);
    }
    if (in.size() <= Merger::kDirect) break;
  }
  return expected.size();
}

}  // namespace

TEST_CASE("merging equals the textbook loop on random tables") {
  std::mt19937 rng(20240611);
  std::size_t sequences = 0, tokens = 0;
  MergeScratch scratch;
  for (int round = 0; round < 400; ++round) {
    const World world = random_world(rng, 2 + rng() % 3, 4 + rng() % 40, round % 2 == 1);
    for (int i = 0; i < 12; ++i, ++sequences) {
      const std::size_t n = i < 9 ? 1 + rng() % Merger::kDirect : 1 + rng() % 400;
      std::vector<Symbol> in(n);
      for (Symbol& s : in) s = static_cast<Symbol>(rng() % 2);
      tokens += check(world, in, scratch);
    }
  }
  fmt::print("{} sequences, {} tokens; {} windows, {} reused, {} enlarged, {} restarts\n",
             sequences, tokens, scratch.windows, scratch.reused_windows, scratch.enlarged_windows,
             scratch.restarts);
  CHECK(scratch.windows > 1000);
}

TEST_CASE("long runs and repeated text equal the textbook loop") {
  std::mt19937 rng(7);
  MergeScratch scratch;
  for (int round = 0; round < 60; ++round) {
    const World world = random_world(rng, 2, 10 + rng() % 60, round % 2 == 1, 200);
    const std::size_t period = 1 + rng() % 7;
    std::vector<Symbol> unit(period), in;
    for (Symbol& s : unit) s = static_cast<Symbol>(rng() % 2);
    while (in.size() < 1500) in.insert(in.end(), unit.begin(), unit.end());
    check(world, in, scratch);
  }
  fmt::print("{} windows, {} reused, {} enlarged, {} restarts\n", scratch.windows,
             scratch.reused_windows, scratch.enlarged_windows, scratch.restarts);
  CHECK(scratch.reused_windows > 100);
}

TEST_CASE("every string over two letters, all lengths to 12, on fixed tables") {
  std::mt19937 rng(99);
  MergeScratch scratch;
  std::size_t strings = 0;
  for (int table = 0; table < 8; ++table) {
    const World world = random_world(rng, 2, 24, table % 2 == 1);
    for (std::size_t n = 1; n <= 12; ++n)
      for (std::size_t bits = 0; bits < (std::size_t{1} << n); ++bits, ++strings) {
        std::vector<Symbol> in(n);
        for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<Symbol>((bits >> i) & 1);
        check(world, in, scratch);
      }
  }
  fmt::print("{} strings\n", strings);
}

TEST_CASE("tokens longer than a window: doubling tables over runs") {
  // a, aa, a^4 ... a^128 and, in every second world, odd lengths besides: windows must grow until
  // they agree.
  MergeScratch scratch;
  std::mt19937 rng(17);
  for (int round = 0; round < 40; ++round) {
    World world;
    std::vector<PairTable::Entry> entries;
    const auto rule = [&](Symbol a, Symbol b, Symbol r) {
      const auto priority = static_cast<std::uint32_t>(entries.size());
      world.textbook.rules[{a, b}] = {priority, r};
      entries.push_back({a, b, priority, r});
    };
    Symbol next = 2, run = 0;
    for (int i = 0; i < 7; ++i) {
      rule(run, run, next);
      if (round % 2 == 1) rule(next, run, next + 1);
      run = next;
      next += 2;
    }
    if (round % 3 == 0) rule(run, 1, next);
    world.pairs.build(entries);
    std::vector<Symbol> in(300 + rng() % 1500, 0);
    for (std::size_t i = rng() % 700; i < in.size(); i += 100 + rng() % 600) in[i] = 1;
    check(world, in, scratch);
  }
  fmt::print("{} windows, {} reused, {} enlarged, {} restarts\n", scratch.windows,
             scratch.reused_windows, scratch.enlarged_windows, scratch.restarts);
  CHECK(scratch.enlarged_windows > 20);
}

namespace {

// Random sequences of up to N symbols through lanes, against the textbook loop.
template <class L>
std::size_t check_lanes(const World& world, std::size_t pieces, const LaneKernel& kernel,
                        std::mt19937& rng) {
  std::vector<std::vector<Symbol>> in(pieces);
  for (auto& piece : in) {
    piece.resize(1 + rng() % L::kLongest);
    for (Symbol& s : piece) s = static_cast<Symbol>(rng() % 2);
  }
  std::size_t next = 0, finished = 0;
  const auto load = [&](L& lane) {
    if (next == in.size()) return false;
    const std::vector<Symbol>& piece = in[next];
    lane.start(static_cast<std::uint32_t>(piece.size()));
    lane.tag = static_cast<std::uint32_t>(next++);
    for (std::uint32_t i = 0; i < piece.size(); ++i) {
      lane.symbol[i] = piece[i];
      if (i > 0) lane.set(i - 1, world.pairs.find(piece[i - 1], piece[i]));
    }
    return true;
  };
  const auto done = [&](const L& lane) {
    const auto expected = world.textbook.encode(in[lane.tag]);
    std::size_t n = 0;
    for (std::uint32_t at = 0; at != L::kEnd; at = lane.following[at], ++n) {
      REQUIRE(n < expected.size());
      REQUIRE(lane.symbol[at] == expected[n].first);
      REQUIRE(at == expected[n].second);
    }
    REQUIRE(n == expected.size());
    ++finished;
  };
  merge_lanes<L>(world.pairs, load, done, kernel);
  REQUIRE(finished == pieces);
  return finished;
}

}  // namespace

TEST_CASE("lanes side by side equal the textbook loop, piece by piece") {
  std::mt19937 rng(31);
  for (const LaneKernel& kernel : lane_kernels()) {
    if (!kernel.runs_here()) {
      fmt::print("kernel {} does not run on this processor: not tested\n", kernel.name);
      continue;
    }
    std::size_t pieces = 0;
    for (int round = 0; round < 600; ++round) {
      const World world = random_world(rng, 2 + rng() % 3, 4 + rng() % 40, round % 2 == 1);
      pieces += check_lanes<ShortLane>(world, rng() % 40, kernel, rng) +
                check_lanes<LongLane>(world, rng() % 40, kernel, rng) +
                check_lanes<WideLane>(world, rng() % 20, kernel, rng);
    }
    fmt::print("{} pieces through lanes, kernel {}\n", pieces, kernel.name);
    CHECK(pieces > 10'000);
  }
}
