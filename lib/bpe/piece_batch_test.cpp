#include "bpe/piece_batch.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace toktier;
using bpe::PieceBatch;
using bpe::PieceCache;
using bpe::TokenSink;

namespace {

std::vector<TokenId> ids_of(std::string_view piece) {
  std::vector<TokenId> ids;
  for (std::size_t i = 0; i < piece.size(); i += 2) ids.push_back(static_cast<TokenId>(piece[i]));
  return ids;
}

std::string_view bytes_of(PieceBatch::Key key, char* buffer) {
  std::memcpy(buffer, &key.low, 8);
  std::memcpy(buffer + 8, &key.high, 8);
  return {buffer, PieceCache::length(key)};
}

}  // namespace

TEST_CASE("a batch writes the ids of its pieces in order, whatever the cache knows") {
  std::mt19937 rng(21);
  std::size_t missed = 0, twins = 0, pieces = 0;
  for (int round = 0; round < 300; ++round) {
    PieceCache cache(round % 3 == 0 ? 0 : std::size_t{1} << 18);
    PieceBatch batch;
    std::string text;
    std::vector<std::uint32_t> ends;
    for (std::size_t i = rng() % 3000; i-- > 0;) {
      const std::size_t n = rng() % 40 == 0 ? 16 + rng() % 20 : 1 + rng() % 15;
      for (std::size_t k = 0; k < n; ++k) text += static_cast<char>('a' + rng() % (n > 4 ? 2 : 6));
      ends.push_back(static_cast<std::uint32_t>(text.size()));
    }
    std::vector<TokenId> expected, got;
    std::uint32_t begin = 0;
    TokenSink out(got, nullptr);
    const auto finish = [&] {
      batch.probe(cache);
      char buffer[16];
      for (std::size_t m = 0; m < batch.misses(); ++m) {
        const std::size_t item = batch.missed(m);
        if (batch.is_place(item)) continue;
        const std::size_t first = batch.first_with_key(item);
        ++missed;
        if (first != item) {
          ++twins;
          batch.copy(item, first);
          continue;
        }
        const std::vector<TokenId> ids = ids_of(bytes_of(batch.key(item), buffer));
        batch.set(item, ids.data(), ids.size());
        if (cache.find_anywhere(batch.key(item)) == nullptr)
          cache.insert(batch.key(item), ids.data(), ids.size());
      }
      batch.emit(out);
    };
    std::span<const std::uint32_t> rest = ends;
    while (!rest.empty()) {
      const std::size_t taken = batch.add_pieces(text, begin, rest, cache);
      if (taken > 0) begin = rest[taken - 1];
      rest = rest.subspan(taken);
      if (batch.full()) {
        finish();
      } else if (!rest.empty()) {
        const std::string_view piece(text.data() + begin, rest[0] - begin);
        const std::vector<TokenId> ids = ids_of(piece);
        batch.add_known(ids.data(), ids.size(), piece.size(), cache);
        begin = rest[0];
        rest = rest.subspan(1);
        if (batch.full()) finish();
      }
    }
    finish();
    begin = 0;
    for (const std::uint32_t end : ends) {
      const std::vector<TokenId> ids = ids_of(std::string_view(text).substr(begin, end - begin));
      expected.insert(expected.end(), ids.begin(), ids.end());
      begin = end;
      ++pieces;
    }
    out.finish();
    REQUIRE(got == expected);
  }
  MESSAGE(pieces, " pieces, ", missed, " missed, ", twins, " twins");
  CHECK(missed > 10'000);
  CHECK(missed < pieces);
  CHECK(twins > 1000);
}
