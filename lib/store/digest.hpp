#pragma once
// A checksum of 128 bits against damage (XXH3; the value does not depend on the machine). It tells
// that bytes are as they were written. It is not asked whether two texts are the same.

#include <array>
#include <cstdint>
#include <string_view>

namespace toktier::store {

using Digest = std::array<char, 16>;

Digest digest_of(std::string_view bytes);

inline std::string_view view(const Digest& digest) { return {digest.data(), digest.size()}; }

}  // namespace toktier::store
