#pragma once
// The published encodings whose rank files carry neither pattern nor special tokens. Internal to
// this room.
//
// Facts taken from tiktoken 0.14.0 (its table of public encodings). An entry is chosen by the
// SHA-256 of the whole rank file, never by a name, so a changed file can only lose its definition,
// never get a wrong one.

#include "toktier/types.hpp"

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace toktier::model {

using NamedId = std::pair<std::string_view, TokenId>;

struct PublishedEncoding {
  std::string_view name;
  std::string_view sha256;  // of the rank file, unpacked
  std::string_view pattern;
  std::span<const NamedId> specials;
  /// Further specials "<|reserved_N|>" with id N, half-open range.
  TokenId reserved_begin = 0;
  TokenId reserved_end = 0;
};

/// In the order of preference: the first entry of a hash is the default for it.
std::span<const PublishedEncoding> published_encodings();

}  // namespace toktier::model
