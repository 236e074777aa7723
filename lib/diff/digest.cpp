#include "diff/digest.hpp"

#include <xxhash.h>

#include <bit>
#include <cstring>
#include <type_traits>

namespace toktier::diff {

static_assert(std::endian::native == std::endian::little, "digests are of little-endian arrays");
static_assert(sizeof(Span) == 8 && std::is_trivially_copyable_v<Span>);

std::uint64_t digest(std::span<const TokenId> ids) {
  return XXH3_64bits(ids.data(), ids.size_bytes());
}

std::uint64_t digest(std::span<const Span> spans) {
  return XXH3_64bits(spans.data(), spans.size_bytes());
}

std::uint64_t digest_bytes(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct TextDigest::State {
  XXH3_state_t hash;
};

TextDigest::TextDigest() : state_(std::make_unique<State>()) {
  XXH3_INITSTATE(&state_->hash);
  reset();
}
TextDigest::~TextDigest() = default;

void TextDigest::reset() { XXH3_64bits_reset(&state_->hash); }

void TextDigest::add(std::string_view text) {
  const std::uint64_t size = text.size();
  XXH3_64bits_update(&state_->hash, &size, sizeof size);
  XXH3_64bits_update(&state_->hash, text.data(), text.size());
}

std::uint64_t TextDigest::value() const { return XXH3_64bits_digest(&state_->hash); }

Key128 key_of(std::span<const std::string_view> texts) {
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset(&state);
  for (const std::string_view text : texts) {
    const std::uint64_t size = text.size();
    XXH3_128bits_update(&state, &size, sizeof size);
    XXH3_128bits_update(&state, text.data(), text.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return {hash.low64, hash.high64};
}

}  // namespace toktier::diff
