#include "decode/sentencepiece_text.hpp"

#include "decode/token_stages.hpp"
#include "decode/utf8_assembler.hpp"
#include "toktier/error.hpp"

namespace toktier::decode {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

bool is_trail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// What the bytes at the front are: a character of that many bytes, 0 = not a character, -1 = too
/// few to say.
int leading_character(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  if ((lead & 0xE0) == 0xC0) length = 2;
  if ((lead & 0xF0) == 0xE0) length = 3;
  if ((lead & 0xF8) == 0xF0) length = 4;
  if (length == 0) return 0;
  char32_t c = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return -1;
    if (!is_trail(bytes[i])) return 0;
    c = (c << 6) | (static_cast<unsigned char>(bytes[i]) & 0x3FU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid = c >= kLeast[length] && c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
  return valid ? static_cast<int>(length) : 0;
}

}  // namespace

void SentencePieceText::drain(bool complete, std::string& out) {
  while (!bytes_.empty()) {
    const int length = leading_character(bytes_);
    if (length < 0 && !complete) return;
    if (length > 0) {
      out.append(bytes_, 0, static_cast<std::size_t>(length));
      bytes_.erase(0, static_cast<std::size_t>(length));
    } else {
      out += kReplacement;
      bytes_.erase(0, 1);
    }
  }
}

void SentencePieceText::push_byte(char byte, std::string& out) {
  any_text_ = true;
  bytes_ += byte;
  drain(false, out);
}

void SentencePieceText::end_bytes(std::string& out) { drain(true, out); }

void SentencePieceText::push(std::string_view piece, model::PieceType type, std::string& out) {
  if (type == model::PieceType::byte) {
    if (piece.size() != 6 || hex_digit(piece[3]) < 0 || hex_digit(piece[4]) < 0) {
      throw Error(ErrorCode::input,
                  "the byte piece \"" + std::string(piece) + "\" is not of the form <0xHH>");
    }
    push_byte(static_cast<char>(hex_digit(piece[3]) * 16 + hex_digit(piece[4])), out);
    return;
  }
  end_bytes(out);
  if (any_text_) at_begin_ = false;
  if (type == model::PieceType::control) return;
  bool took_mark = false;
  if (at_begin_ && (rules_.add_dummy_prefix || rules_.remove_extra_whitespaces) &&
      piece.substr(0, kSpaceMark.size()) == kSpaceMark) {
    piece.remove_prefix(kSpaceMark.size());
    took_mark = !rules_.remove_extra_whitespaces;
  }
  const std::size_t before = out.size();
  if (type == model::PieceType::unknown) {
    out += rules_.unk_surface;
  } else {
    out += replace_all(piece, kSpaceMark, " ");
  }
  if (out.size() > before) any_text_ = true;
  if (took_mark || any_text_) at_begin_ = false;
}

void SentencePieceText::finish(std::string& out) {
  end_bytes(out);
  any_text_ = false;
  at_begin_ = true;
}

}  // namespace toktier::decode
