#pragma once
// Whole files into memory, zstd removed. Free functions, thread-safe. Errors: Error{input} naming
// file and offset.

#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::io {

/// Largest result of one read. A compressed file can claim any size; nothing above this is
/// unpacked.
inline constexpr std::uint64_t kMaxUnpackedBytes = std::uint64_t{4} << 30;

/// Bytes that may be read (not used) behind the end of a string returned by this header: its
/// capacity() is at least size() + kReadPadding, which is what the JSON parser needs to work
/// without a copy.
inline constexpr std::size_t kReadPadding = 64;

/// A zstd frame or a skippable frame begins here. Containers are known by content, never by file
/// name.
bool is_zstd(std::string_view bytes);

/// The content of `path`, "-" = standard input, unpacked when it is zstd (any number of frames).
std::string read_all(const std::string& path, std::uint64_t max_bytes = kMaxUnpackedBytes);

/// The same for bytes in memory; `shown_path` is used in messages. Bytes that are not zstd are
/// copied.
std::string unpack(std::string_view bytes, const std::string& shown_path,
                   std::uint64_t max_bytes = kMaxUnpackedBytes);

}  // namespace toktier::io
