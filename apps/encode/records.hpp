#pragma once
// One document's result as a record.

#include "apps/encode/options.hpp"
#include "toktier/tokenizer.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::encode_app {

/// 64-bit hash of the ids as little-endian u32, in hexadecimal: equal ids give equal hashes.
std::string id_hash(std::span<const TokenId> ids);

/// Appends one JSON line: "id", then what `emit` names. Spans are pairs of offsets into `text`, in
/// bytes or code points.
void append_record(std::string& out, std::string_view id, std::string_view text,
                   const Encoding& encoding, std::size_t count, const Emit& emit, bool code_points,
                   const Tokenizer& tokenizer);

/// Raw little-endian numbers. Throws Error{usage} when an id does not fit into `width` bytes (2 or
/// 4).
void append_binary(std::string& out, std::span<const TokenId> ids, unsigned width);

}  // namespace toktier::encode_app
