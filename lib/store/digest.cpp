#include "store/digest.hpp"

#include <xxhash.h>

#include <cstring>

namespace toktier::store {

Digest digest_of(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Digest digest;
  std::memcpy(digest.data(), canonical.digest, digest.size());
  return digest;
}

}  // namespace toktier::store
