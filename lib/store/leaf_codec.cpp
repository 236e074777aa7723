#include "store/leaf_codec.hpp"

#include "encode/seams.hpp"
#include "store/packed.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <cmath>

namespace toktier::store {

using session::Rope;
using session::Row;
using session::State;

namespace {

constexpr std::uint64_t kBlock = 1;
constexpr std::uint64_t kGiven = 2;
constexpr std::size_t kBlockHead = 1 + 4 + 4 + 4 + 4 + 8 + 1;
constexpr std::size_t kGivenHead = 1 + 4 + 4 + 1;

// Bytes that each id of a list is written in.
unsigned width_of(const std::vector<TokenId>& ids) {
  const TokenId most = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  return most < 0x10000 ? 2 : most < 0x1000000 ? 3 : 4;
}

void pack_ids(const std::vector<TokenId>& ids, unsigned width, PackedWriter& out) {
  for (const TokenId id : ids) out.number(id, width);
}

bool unpack_ids(PackedReader& in, std::uint64_t count, unsigned width, TokenId end,
                std::vector<TokenId>& ids) {
  if (width < 2 || width > 4 || !in.holds(count, width)) return false;
  ids.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto id = static_cast<TokenId>(in.number(width));
    if (id >= end) return false;
    ids.push_back(id);
  }
  return true;
}

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// Sizes and seams of a block, given that its parts have been read.
bool block_holds(const Rope::Block& block, const encode::Pipeline& pipeline) {
  if (unicode::find_invalid_utf8(block.text)) return false;
  if (pipeline.tiles() && (block.ids.size() > block.text.size() ||
                           block.text.size() > block.ids.size() * pipeline.longest_token_bytes()))
    return false;
  Rope::Mark before{0, 0};
  for (const Rope::Mark& mark : block.marks) {
    if (mark.byte <= before.byte || mark.byte >= block.text.size() || mark.token < before.token ||
        mark.token > block.ids.size() || continues(block.text, mark.byte))
      return false;
    before = mark;
  }
  const auto sound = [&](double carry) {
    return carry == 0 || (pipeline.seams().carries() && std::isfinite(carry));
  };
  return sound(block.carry) && std::all_of(block.carries.begin(), block.carries.end(), sound);
}

std::shared_ptr<Rope::Block> unpack_block(PackedReader& in, const encode::Pipeline& pipeline) {
  const std::uint64_t bytes = in.number(4);
  const std::uint64_t tokens = in.number(4);
  const std::uint64_t marks = in.number(4);
  const std::uint64_t carries = in.number(4);
  auto block = std::make_shared<Rope::Block>();
  block->carry = in.real();
  const auto width = static_cast<unsigned>(in.number(1));
  block->text = in.bytes(bytes);
  block->bytes = static_cast<std::uint32_t>(bytes);
  if (block->text.empty() || (carries != 0 && carries != marks) ||
      !unpack_ids(in, tokens, width, pipeline.decoder().end_id(), block->ids) ||
      !in.holds(marks, 8))
    return nullptr;
  for (std::uint64_t i = 0; i < marks; ++i) {
    const auto byte = static_cast<std::uint32_t>(in.number(4));
    block->marks.push_back({byte, static_cast<std::uint32_t>(in.number(4))});
  }
  if (!in.holds(carries, 8)) return nullptr;
  for (std::uint64_t i = 0; i < carries; ++i) block->carries.push_back(in.real());
  return in.done() && block_holds(*block, pipeline) ? block : nullptr;
}

std::shared_ptr<Row::Given> unpack_given(PackedReader& in, const encode::Pipeline& pipeline) {
  auto given = std::make_shared<Row::Given>();
  given->label = static_cast<std::uint32_t>(in.number(4));
  const std::uint64_t tokens = in.number(4);
  const auto width = static_cast<unsigned>(in.number(1));
  const decode::Decoder& decoder = pipeline.decoder();
  if (tokens == 0 || !unpack_ids(in, tokens, width, decoder.end_id(), given->ids) || !in.done())
    return nullptr;
  for (const TokenId id : given->ids)
    if (!decoder.has(id)) return nullptr;
  try {
    given->text = decoder.decode(given->ids);
  } catch (const Error&) {
    return nullptr;
  }
  given->bytes = given->text.size();
  given->decoded = true;
  return given;
}

}  // namespace

std::string pack_leaf(const State::Leaf& leaf) {
  PackedWriter out;
  if (leaf.given) {
    const unsigned width = width_of(leaf.given->ids);
    out.number(kGiven, 1);
    out.number(leaf.given->label, 4);
    out.number(leaf.given->ids.size(), 4);
    out.number(width, 1);
    pack_ids(leaf.given->ids, width, out);
    return out.take();
  }
  const Rope::Block& block = *leaf.block;
  const unsigned width = width_of(block.ids);
  out.number(kBlock, 1);
  out.number(block.text.size(), 4);
  out.number(block.ids.size(), 4);
  out.number(block.marks.size(), 4);
  out.number(block.carries.size(), 4);
  out.real(block.carry);
  out.number(width, 1);
  out.bytes(block.text);
  pack_ids(block.ids, width, out);
  for (const Rope::Mark& mark : block.marks) {
    out.number(mark.byte, 4);
    out.number(mark.token, 4);
  }
  for (const double carry : block.carries) out.real(carry);
  return out.take();
}

std::size_t packed_size(const State::Leaf& leaf) {
  if (leaf.given) return kGivenHead + leaf.given->ids.size() * width_of(leaf.given->ids);
  const Rope::Block& block = *leaf.block;
  return kBlockHead + block.text.size() + block.ids.size() * width_of(block.ids) +
         block.marks.size() * 8 + block.carries.size() * 8;
}

std::optional<State::Leaf> unpack_leaf(std::string_view bytes, const encode::Pipeline& pipeline) {
  PackedReader in(bytes);
  State::Leaf leaf;
  switch (in.number(1)) {
    case kBlock:
      leaf.block = unpack_block(in, pipeline);
      break;
    case kGiven:
      leaf.given = unpack_given(in, pipeline);
      break;
    default:
      break;
  }
  if (!leaf.block && !leaf.given) return std::nullopt;
  return leaf;
}

std::string pack_marks(const State& state) {
  PackedWriter out;
  out.number(state.label, 4);
  out.number(state.fresh ? 1 : 0, 1);
  out.number(state.marks.size(), 4);
  for (const std::vector<State::Mark>& run : state.marks) {
    out.number(run.size(), 4);
    for (const State::Mark& mark : run) {
      out.number(mark.end, 4);
      out.number(mark.trusted ? 1 : 0, 1);
      out.number(mark.label, 4);
    }
  }
  return out.take();
}

LeafOutline outline_of(const State::Leaf& leaf) {
  const auto kind = leaf.given    ? LeafOutline::Kind::given
                    : leaf.begins ? LeafOutline::Kind::begins_run
                                  : LeafOutline::Kind::goes_on;
  return {kind, leaf.bytes(), leaf.tokens()};
}

bool unpack_marks(std::string_view bytes, const std::vector<LeafOutline>& leaves, State& state) {
  PackedReader in(bytes);
  state.label = static_cast<std::uint32_t>(in.number(4));
  state.fresh = in.number(1) != 0;
  const std::uint64_t runs = in.number(4);
  if (!in.holds(runs, 4)) return false;
  state.marks.assign(runs, {});
  for (std::vector<State::Mark>& run : state.marks) {
    const std::uint64_t marks = in.number(4);
    if (!in.holds(marks, 9)) return false;
    for (std::uint64_t i = 0; i < marks; ++i) {
      State::Mark mark;
      mark.end = in.number(4);
      mark.trusted = in.number(1) != 0;
      mark.label = static_cast<std::uint32_t>(in.number(4));
      run.push_back(mark);
    }
  }
  if (!in.done()) return false;

  std::size_t run = 0;  // runs that have begun
  std::size_t size = 0;
  const auto ends_well = [&] {
    if (run == 0) return true;
    const std::vector<State::Mark>& marks = state.marks[run - 1];
    std::size_t before = 0;
    for (const State::Mark& mark : marks) {
      if (mark.end <= before) return false;
      before = mark.end;
    }
    return before == size;
  };
  bool in_run = false;
  for (const LeafOutline& leaf : leaves) {
    switch (leaf.kind) {
      case LeafOutline::Kind::begins_run:
        if (in_run || !ends_well() || run == state.marks.size()) return false;
        ++run;
        size = 0;
        in_run = true;
        break;
      case LeafOutline::Kind::goes_on:
        if (!in_run) return false;
        break;
      case LeafOutline::Kind::given:
        in_run = false;
        continue;
      default:
        return false;
    }
    size += leaf.bytes;
  }
  return ends_well() && run == state.marks.size();
}

bool marks_at_characters(const State& state) {
  std::size_t run = 0;
  std::size_t mark = 0;
  std::size_t begin = 0;  // of the leaf, in its run
  for (const State::Leaf& leaf : state.leaves) {
    if (!leaf.block) continue;
    if (leaf.begins) {
      ++run;
      mark = 0;
      begin = 0;
    }
    const std::vector<State::Mark>& marks = state.marks[run - 1];
    const std::string_view text = leaf.text();
    for (; mark < marks.size() && marks[mark].end < begin + text.size(); ++mark)
      if (marks[mark].end >= begin && continues(text, marks[mark].end - begin)) return false;
    begin += text.size();
  }
  return true;
}

}  // namespace toktier::store
