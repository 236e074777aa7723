#include "report/json_writer.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace toktier::report {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (byte) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (byte < 0x20 || byte == 0x7F) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
        } else {
          out += c;
        }
    }
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  if (unicode::find_invalid_utf8(text)) {
    append_escaped(out, unicode::replace_invalid_utf8(text));
  } else {
    append_escaped(out, text);
  }
  out += '"';
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) -> std::uint32_t {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
    };
    const std::uint32_t word = (byte(0) << 16) | (byte(1) << 8) | byte(2);
    out += kDigits[word >> 18];
    out += kDigits[(word >> 12) & 63];
    out += i + 1 < bytes.size() ? kDigits[(word >> 6) & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[word & 63] : '=';
  }
  return out;
}

void JsonWriter::before_value() {
  if (places_.empty()) return;
  switch (places_.back()) {
    case Place::object_first:
    case Place::object_next:
      throw Error(ErrorCode::internal, "JSON value without a key inside an object");
    case Place::object_value:
      places_.back() = Place::object_next;
      break;
    case Place::array_first:
      places_.back() = Place::array_next;
      break;
    case Place::array_next:
      out_ += ',';
      break;
  }
}

JsonWriter& JsonWriter::key(std::string_view name) {
  if (places_.empty() ||
      (places_.back() != Place::object_first && places_.back() != Place::object_next)) {
    throw Error(ErrorCode::internal, "JSON key outside an object: " + std::string(name));
  }
  if (places_.back() == Place::object_next) out_ += ',';
  append_json_string(out_, name);
  out_ += ':';
  places_.back() = Place::object_value;
  return *this;
}

JsonWriter& JsonWriter::begin_object() {
  before_value();
  out_ += '{';
  places_.push_back(Place::object_first);
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  if (places_.empty() ||
      (places_.back() != Place::object_first && places_.back() != Place::object_next)) {
    throw Error(ErrorCode::internal, "JSON object closed at the wrong place");
  }
  out_ += '}';
  places_.pop_back();
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  before_value();
  out_ += '[';
  places_.push_back(Place::array_first);
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  if (places_.empty() ||
      (places_.back() != Place::array_first && places_.back() != Place::array_next)) {
    throw Error(ErrorCode::internal, "JSON array closed at the wrong place");
  }
  out_ += ']';
  places_.pop_back();
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) { return raw(flag ? "true" : "false"); }

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::signed_value(std::int64_t number) {
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::unsigned_value(std::uint64_t number) {
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

}  // namespace toktier::report
