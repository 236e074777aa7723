#include "session/rope.hpp"

#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>

namespace toktier::session {

// The block that holds `byte`; the last one for the end of the document. Needs a block.
std::size_t Rope::block_of(std::size_t byte) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), byte,
                                      [](std::size_t b, const Entry& e) { return b < e.byte; });
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

Place Rope::seam_at_or_before(std::size_t byte) const {
  if (blocks_.empty()) return {};
  const Entry& e = blocks_[block_of(byte)];
  const std::vector<Mark>& marks = e.block->marks;
  const auto after =
      std::upper_bound(marks.begin(), marks.end(), byte - e.byte,
                       [](std::size_t b, const Mark& mark) { return b < mark.byte; });
  if (after == marks.begin()) return {e.byte, e.token, e.block->carry};
  const Mark& mark = *(after - 1);
  return {e.byte + mark.byte, e.token + mark.token,
          carry_of(*e.block, static_cast<std::size_t>(after - marks.begin()) - 1)};
}

std::optional<Place> Rope::seam_at_or_behind(std::size_t byte) const {
  if (blocks_.empty()) return std::nullopt;
  std::size_t index = block_of(byte);
  const Entry& e = blocks_[index];
  if (e.byte == byte) return Place{e.byte, e.token, e.block->carry};
  const std::vector<Mark>& marks = e.block->marks;
  const auto at = std::lower_bound(marks.begin(), marks.end(), byte - e.byte,
                                   [](const Mark& mark, std::size_t b) { return mark.byte < b; });
  if (at != marks.end())
    return Place{e.byte + at->byte, e.token + at->token,
                 carry_of(*e.block, static_cast<std::size_t>(at - marks.begin()))};
  if (++index == blocks_.size()) return std::nullopt;
  const Entry& next = blocks_[index];
  return Place{next.byte, next.token, next.block->carry};
}

std::pair<Place, Place> Rope::seams_around(std::size_t token) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), token,
                                      [](std::size_t t, const Entry& e) { return t < e.token; });
  const Entry& e = *(after - 1);
  const std::vector<Mark>& marks = e.block->marks;
  const auto next =
      std::upper_bound(marks.begin(), marks.end(), token - e.token,
                       [](std::size_t t, const Mark& mark) { return t < mark.token; });
  // A seam without tokens behind it would do as well; the last of equals is taken on the left.
  const auto place = [&](std::vector<Mark>::const_iterator mark) {
    return Place{e.byte + mark->byte, e.token + mark->token,
                 carry_of(*e.block, static_cast<std::size_t>(mark - marks.begin()))};
  };
  const Place from =
      next == marks.begin() ? Place{e.byte, e.token, e.block->carry} : place(next - 1);
  return {from, next == marks.end() ? end_of(e) : place(next)};
}

void Rope::append_text(std::size_t begin, std::size_t end, std::string& out) const {
  if (begin >= end) return;
  for (std::size_t i = block_of(begin); begin < end; ++i) {
    const Entry& e = blocks_[i];
    const std::size_t n = std::min(end, end_of(e).byte) - begin;
    out.append(e.block->text, begin - e.byte, n);
    begin += n;
  }
}

void Rope::append_ids(std::size_t begin, std::size_t end, std::vector<TokenId>& out) const {
  if (begin >= end) return;
  auto at = std::upper_bound(blocks_.begin(), blocks_.end(), begin,
                             [](std::size_t t, const Entry& e) { return t < e.token; }) -
            1;
  for (; begin < end; ++at) {
    const std::size_t n = std::min(end, end_of(*at).token) - begin;
    const TokenId* ids = at->block->ids.data() + (begin - at->token);
    out.insert(out.end(), ids, ids + n);
    begin += n;
  }
}

bool Rope::at_character(std::size_t byte) const {
  if (byte == bytes()) return true;
  if (byte > bytes()) return false;
  const Entry& e = blocks_[block_of(byte)];
  return (static_cast<unsigned char>(e.block->text[byte - e.byte]) & 0xC0) != 0x80;
}

std::size_t Rope::text_from() const {
  std::size_t index = blocks_.size();
  while (index > 0 && !blocks_[index - 1].block->sealed()) --index;
  return index == blocks_.size() ? bytes() : blocks_[index].byte;
}

// Seeded anew in every process, so that nobody can prepare texts of equal hashes.
Rope::Hash Rope::hash_of(std::string_view text) {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), seed);
  return {hash.low64, hash.high64};
}

// The stretch before mark i, or before the end: bytes from the block's begin.
std::pair<std::size_t, std::size_t> Rope::stretch_of(const Block& block, std::size_t i) {
  return {i == 0 ? 0 : block.marks[i - 1].byte,
          i == block.marks.size() ? block.bytes : block.marks[i].byte};
}

std::size_t Rope::common_prefix(std::string_view other) const {
  std::size_t done = 0;
  for (const Entry& e : blocks_) {
    if (e.block->sealed()) {
      for (std::size_t i = 0; i < e.block->hashes.size(); ++i) {
        const auto [begin, end] = stretch_of(*e.block, i);
        if (e.byte + end > other.size()) return done;
        if (hash_of(other.substr(done, end - begin)) != e.block->hashes[i]) return done;
        done = e.byte + end;
      }
      continue;
    }
    const std::size_t n = std::min(e.block->text.size(), other.size() - done);
    const char* mine = e.block->text.data();
    const char* theirs = other.data() + done;
    if (std::memcmp(mine, theirs, n) != 0)
      return done + static_cast<std::size_t>(std::mismatch(mine, mine + n, theirs).first - mine);
    done += n;
    if (n < e.block->text.size()) break;
  }
  return done;
}

std::size_t Rope::common_suffix(std::string_view other, std::size_t floor) const {
  const std::size_t room = std::min(bytes(), other.size()) - floor;
  std::size_t done = 0;
  for (auto at = blocks_.rbegin(); at != blocks_.rend() && done < room; ++at) {
    const Block& block = *at->block;
    if (block.sealed()) {
      for (std::size_t i = block.hashes.size(); i-- > 0;) {
        const auto [begin, end] = stretch_of(block, i);
        const std::size_t n = end - begin;
        if (done + n > room) return done;
        if (hash_of(other.substr(other.size() - done - n, n)) != block.hashes[i]) return done;
        done += n;
      }
      continue;
    }
    const std::string& text = block.text;
    const std::size_t n = std::min(text.size(), room - done);
    const char* mine = text.data() + text.size() - n;
    const char* theirs = other.data() + other.size() - done - n;
    if (std::memcmp(mine, theirs, n) != 0) {
      std::size_t same = 0;
      while (mine[n - 1 - same] == theirs[n - 1 - same]) ++same;
      return done + same;
    }
    done += n;
  }
  return done;
}

// The block, belonging to this rope alone.
Rope::Block& Rope::own(std::size_t index) {
  std::shared_ptr<Block>& block = blocks_[index].block;
  if (block.use_count() > 1) block = std::make_shared<Block>(*block);
  // What a former owner in another thread read, it read before this.
  std::atomic_thread_fence(std::memory_order_acquire);
  return *block;
}

// Drops everything from a seam on.
void Rope::cut_back(const Place& at) {
  if (blocks_.empty()) return;
  const std::size_t index = block_of(at.byte);
  const std::size_t byte = at.byte - blocks_[index].byte;
  const std::size_t token = at.token - blocks_[index].token;
  blocks_.resize(byte == 0 ? index : index + 1, Entry{});
  if (byte == 0 || byte == blocks_[index].block->bytes) return;
  Block& block = own(index);
  if (!block.sealed()) block.text.resize(byte);
  block.bytes = static_cast<std::uint32_t>(byte);
  block.ids.resize(token);
  while (!block.marks.empty() && block.marks.back().byte >= byte) block.marks.pop_back();
  if (block.sealed()) block.hashes.resize(block.marks.size() + 1);
  if (!block.carries.empty()) block.carries.resize(block.marks.size());
}

// Adds a stretch that begins at a seam.
void Rope::push(std::string_view text, const TokenId* ids, const Stretch& stretch) {
  if (stretch.bytes == 0) return;
  if (blocks_.empty() || blocks_.back().block->sealed() ||
      blocks_.back().block->bytes + stretch.bytes > grain_.block) {
    Place before;
    if (!blocks_.empty()) before = end_of(blocks_.back());
    if (!blocks_.empty() && !blocks_.back().block->sealed()) {
      Block& full = own(blocks_.size() - 1);
      full.text.shrink_to_fit();
      full.ids.shrink_to_fit();
    }
    blocks_.push_back({std::make_shared<Block>(), before.byte, before.token});
    blocks_.back().block->carry = stretch.carry;
  }
  Block& block = own(blocks_.size() - 1);
  const std::uint32_t size = block.bytes;
  if (size > 0) {
    const std::size_t marks = block.marks.size();
    const std::uint32_t before_last = marks >= 2 ? block.marks[marks - 2].byte : 0;
    if (marks > 0 && size - before_last < grain_.spacing) {
      block.marks.pop_back();
      if (!block.carries.empty()) block.carries.pop_back();
    }
    block.marks.push_back({size, static_cast<std::uint32_t>(block.ids.size())});
    if (stretch.carry != 0) block.carries.resize(block.marks.size() - 1, 0);
    if (stretch.carry != 0 || !block.carries.empty()) block.carries.push_back(stretch.carry);
  }
  block.text.append(text);
  block.bytes += static_cast<std::uint32_t>(text.size());
  block.ids.insert(block.ids.end(), ids, ids + stretch.tokens);
}

// The rest of a sealed block becomes a block of its own.
void Rope::push_sealed_rest(const Block& block, std::size_t from_mark) {
  const Mark begin = block.marks[from_mark - 1];
  const auto rest = static_cast<std::ptrdiff_t>(from_mark);
  auto made = std::make_shared<Block>();
  made->bytes = block.bytes - begin.byte;
  made->carry = carry_of(block, from_mark - 1);
  made->ids.assign(block.ids.begin() + begin.token, block.ids.end());
  made->hashes.assign(block.hashes.begin() + rest, block.hashes.end());
  for (std::size_t i = from_mark; i < block.marks.size(); ++i)
    made->marks.push_back({block.marks[i].byte - begin.byte, block.marks[i].token - begin.token});
  if (!block.carries.empty())
    made->carries.assign(block.carries.begin() + rest, block.carries.end());
  const Place before = blocks_.empty() ? Place{} : end_of(blocks_.back());
  blocks_.push_back({std::move(made), before.byte, before.token});
}

// The stretches of a block from a mark on (mark 0: from its begin).
void Rope::push_rest(const Block& block, std::size_t from_mark) {
  if (block.sealed()) return push_sealed_rest(block, from_mark);
  Mark begin{0, 0};
  double carry = block.carry;
  if (from_mark > 0) {
    begin = block.marks[from_mark - 1];
    carry = carry_of(block, from_mark - 1);
  }
  for (std::size_t i = from_mark;; ++i) {
    const bool last = i == block.marks.size();
    const Mark end = last ? Mark{static_cast<std::uint32_t>(block.text.size()),
                                 static_cast<std::uint32_t>(block.ids.size())}
                          : block.marks[i];
    push(std::string_view(block.text).substr(begin.byte, end.byte - begin.byte),
         block.ids.data() + begin.token, {end.byte - begin.byte, end.token - begin.token, carry});
    if (last) return;
    begin = end;
    carry = carry_of(block, i);
  }
}

void Rope::splice(const Place& from, const Place& to, std::string_view text, const TokenId* ids,
                  const std::vector<Stretch>& stretches) {
  std::vector<Entry> rest;  // what follows `to`, its own block first
  std::size_t mark = 0;
  if (to.byte < bytes()) {
    const std::size_t index = block_of(to.byte);
    rest.assign(blocks_.begin() + static_cast<std::ptrdiff_t>(index), blocks_.end());
    const Block& first = *rest.front().block;
    while (mark < first.marks.size() && first.marks[mark].byte <= to.byte - rest.front().byte)
      ++mark;
    if (to.byte == rest.front().byte) mark = 0;
  }
  cut_back(from);
  unsealed_from_ = std::min(unsealed_from_, blocks_.empty() ? 0 : blocks_.size() - 1);
  for (const Stretch& stretch : stretches) {
    push(text.substr(0, stretch.bytes), ids, stretch);
    text.remove_prefix(stretch.bytes);
    ids += stretch.tokens;
  }
  // Whole blocks are taken over; one is not, where small ones would gather.
  std::size_t next = 0;
  if (mark > 0) push_rest(*rest[next++].block, mark);
  const bool small = !blocks_.empty() && !blocks_.back().block->sealed() &&
                     blocks_.back().block->bytes < grain_.block / 4;
  if (small && next < rest.size() && !rest[next].block->sealed()) push_rest(*rest[next++].block, 0);
  for (; next < rest.size(); ++next) {
    const Place before = blocks_.empty() ? Place{} : end_of(blocks_.back());
    blocks_.push_back({std::move(rest[next].block), before.byte, before.token});
  }
}

void Rope::seal_block(std::size_t index) {
  Block& block = own(index);
  block.hashes.reserve(block.marks.size() + 1);
  for (std::size_t i = 0; i <= block.marks.size(); ++i) {
    const auto [begin, end] = stretch_of(block, i);
    block.hashes.push_back(hash_of(std::string_view(block.text).substr(begin, end - begin)));
  }
  std::string().swap(block.text);
  block.ids.shrink_to_fit();
  block.marks.shrink_to_fit();
}

void Rope::seal(std::size_t keep) {
  if (blocks_.empty()) return;
  const std::size_t last = blocks_.back().byte;
  std::size_t index = unsealed_from_;
  for (; index < blocks_.size() && end_of(blocks_[index]).byte + keep <= last; ++index)
    if (!blocks_[index].block->sealed()) seal_block(index);
  unsealed_from_ = index;
}

std::vector<std::shared_ptr<const Rope::Block>> Rope::blocks() const {
  std::vector<std::shared_ptr<const Block>> out;
  out.reserve(blocks_.size());
  for (const Entry& e : blocks_) out.push_back(e.block);
  return out;
}

void Rope::restore(const std::vector<std::shared_ptr<const Block>>& blocks) {
  blocks_.clear();
  unsealed_from_ = 0;
  for (const auto& block : blocks) {
    const Place before = blocks_.empty() ? Place{} : end_of(blocks_.back());
    // own() copies a block that others hold before anything is changed in it.
    blocks_.push_back({std::const_pointer_cast<Block>(block), before.byte, before.token});
  }
}

std::size_t Rope::memory() const {
  std::size_t sum = blocks_.capacity() * sizeof(Entry);
  for (const Entry& e : blocks_) {
    const Block& b = *e.block;
    sum += sizeof(Block) + b.text.capacity() + b.ids.capacity() * sizeof(TokenId) +
           b.marks.capacity() * sizeof(Mark) + b.hashes.capacity() * sizeof(Hash) +
           b.carries.capacity() * sizeof(double);
  }
  return sum;
}

}  // namespace toktier::session
