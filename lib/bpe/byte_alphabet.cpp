#include "bpe/byte_alphabet.hpp"

#include "unicode/utf8.hpp"

namespace toktier::bpe {
namespace {

constexpr bool printable(unsigned b) {
  return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE && b <= 0xFF);
}

constexpr std::array<char32_t, 256> make_table() {
  std::array<char32_t, 256> table{};
  char32_t next = 0x100;
  for (unsigned b = 0; b < 256; ++b) table[b] = printable(b) ? static_cast<char32_t>(b) : next++;
  return table;
}
constexpr std::array<char32_t, 256> kTable = make_table();

// Inverse for U+0000..U+0143; -1 where no byte is written so.
constexpr std::array<std::int16_t, 0x144> make_inverse() {
  std::array<std::int16_t, 0x144> inverse{};
  for (auto& v : inverse) v = -1;
  for (unsigned b = 0; b < 256; ++b) inverse[kTable[b]] = static_cast<std::int16_t>(b);
  return inverse;
}
constexpr std::array<std::int16_t, 0x144> kInverse = make_inverse();

}  // namespace

const std::array<char32_t, 256>& byte_to_character() { return kTable; }

bool bytes_of_token(std::string_view text, std::string& out) {
  out.resize(text.size());  // never more bytes than the text has
  char* to = out.data();
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    char32_t c = lead;
    if (lead >= 0x80) {
      const unicode::Decoded d = unicode::decode(text.data() + i);
      c = d.code_point;
      i += d.length;
    } else {
      ++i;
    }
    if (c >= kInverse.size() || kInverse[c] < 0) {
      out.clear();
      return false;
    }
    *to++ = static_cast<char>(kInverse[c]);
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
  return true;
}

std::optional<std::string> bytes_of_token(std::string_view text) {
  std::string out;
  if (!bytes_of_token(text, out)) return std::nullopt;
  return out;
}

void append_token_text(std::string_view bytes, std::string& out) {
  for (const char c : bytes) unicode::append_utf8(out, kTable[static_cast<unsigned char>(c)]);
}

}  // namespace toktier::bpe
