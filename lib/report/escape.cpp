#include "report/escape.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <optional>

namespace toktier::report {
namespace {

void append_byte(std::string& out, unsigned char byte) {
  fmt::format_to(std::back_inserter(out), "\\x{:02X}", byte);
}

void append_character(std::string& out, char32_t c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\\':
      out += "\\\\";
      return;
    default:
      break;
  }
  if (c >= 0x20 && c < 0x7F) {
    out += static_cast<char>(c);
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{{{:X}}}", static_cast<std::uint32_t>(c));
  }
}

/// Appends one unit (a character or a stray byte) at `at`; returns its length in bytes.
std::size_t append_unit(std::string& out, std::string_view bytes, std::size_t at) {
  const auto lead = static_cast<unsigned char>(bytes[at]);
  const std::size_t length = unicode::sequence_length(lead);
  if (at + length <= bytes.size() && !unicode::find_invalid_utf8(bytes.substr(at, length))) {
    append_character(out, unicode::decode(bytes.data() + at).code_point);
    return length;
  }
  append_byte(out, lead);
  return 1;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

[[noreturn]] void bad_escape(std::size_t at, const char* what) {
  throw Error(ErrorCode::usage,
              fmt::format("escaped text: at character {}: {} (known: \\n \\r \\t \\\\ \\xHH "
                          "\\u{{HEX}} \\uHHHH)",
                          at, what));
}

/// Reads digits from `at`; `count` of them, or up to a closing brace when 0.
char32_t read_hex(std::string_view text, std::size_t start, std::size_t* at, std::size_t count) {
  char32_t value = 0;
  std::size_t digits = 0;
  while (*at < text.size() && (count == 0 ? text[*at] != '}' : digits < count)) {
    const int digit = hex_digit(text[*at]);
    if (digit < 0) bad_escape(start, "not a hexadecimal digit");
    value = value * 16 + static_cast<char32_t>(digit);
    if (value > 0x10FFFF) bad_escape(start, "above U+10FFFF");
    ++*at;
    ++digits;
  }
  if (digits == 0 || (count != 0 && digits != count)) bad_escape(start, "too few digits");
  return value;
}

}  // namespace

std::string escape(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) at += append_unit(out, bytes, at);
  return out;
}

std::string escape_preview(std::string_view bytes, std::size_t limit) {
  std::string out;
  std::size_t at = 0;
  while (at < bytes.size() && out.size() < limit) at += append_unit(out, bytes, at);
  if (at < bytes.size()) {
    fmt::format_to(std::back_inserter(out), "...(+{} bytes)", bytes.size() - at);
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      out += text[at++];
      continue;
    }
    const std::size_t start = at++;
    if (at == text.size()) bad_escape(start, "backslash at the end");
    const char kind = text[at++];
    switch (kind) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case '\\':
        out += '\\';
        break;
      case 'x':
        out += static_cast<char>(read_hex(text, start, &at, 2));
        break;
      case 'u': {
        char32_t c = 0;
        if (at < text.size() && text[at] == '{') {
          ++at;
          c = read_hex(text, start, &at, 0);
          if (at == text.size()) bad_escape(start, "no closing brace");
          ++at;
        } else {
          c = read_hex(text, start, &at, 4);
        }
        if (c >= 0xD800 && c <= 0xDFFF) bad_escape(start, "a surrogate is not a character");
        unicode::append_utf8(out, c);
        break;
      }
      default:
        bad_escape(start, "unknown escape");
    }
  }
  return out;
}

std::string shell_quote(std::string_view text) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace toktier::report
