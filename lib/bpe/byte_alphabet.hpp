#pragma once
// The GPT-2 byte alphabet: each byte is written as one printable character in byte-level
// vocabularies.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace toktier::bpe {

/// Code point that stands for each byte: itself for 0x21..0x7E, 0xA1..0xAC, 0xAE..0xFF; the other
/// 68 bytes, in order, are U+0100, U+0101, ...
const std::array<char32_t, 256>& byte_to_character();

/// Bytes for a token written in the alphabet; nullopt when a character is not of the alphabet.
/// `text` must be well-formed UTF-8.
std::optional<std::string> bytes_of_token(std::string_view text);
/// The same into a reused string; false when a character is not of the alphabet.
bool bytes_of_token(std::string_view text, std::string& out);

/// The token text for bytes.
void append_token_text(std::string_view bytes, std::string& out);

}  // namespace toktier::bpe
