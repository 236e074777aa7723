#include "store/recheck.hpp"

#include <algorithm>
#include <random>
#include <string>

namespace toktier::store {

bool recheck(const Session& session, const session::State& state, std::size_t bytes,
             std::uint64_t seed) {
  const std::size_t plain = state.plain_bytes();
  if (bytes == 0 || plain == 0 || !session.refusal().empty()) return true;
  std::mt19937_64 random(seed);
  std::size_t begin = plain > bytes ? random() % (plain - bytes + 1) : 0;
  std::size_t end = std::min(plain, begin + bytes);
  std::string text;
  state.append_text(begin, std::min(end + 4, plain), text);
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t skipped = 0;
  while (continues(skipped)) ++skipped;
  std::size_t size = end - begin;
  while (size < text.size() && continues(size)) ++size;
  if (size <= skipped) return true;
  begin += skipped;
  end = begin + (size - skipped);
  // An edit that puts the same text there encodes it again, from seam to seam, and says what ids
  // came to be others.
  Session probe = session.fork();
  const Patch patch =
      probe.edit(begin, end, Part{std::string_view(text).substr(skipped, end - begin), true});
  return patch.ids.empty() && patch.keep_tokens + patch.tail_tokens == session.tokens();
}

}  // namespace toktier::store
