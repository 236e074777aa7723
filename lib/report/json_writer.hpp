#pragma once
// The one JSON writer of the project: records, tables as JSON, diagnostics.
//
// Output is always valid JSON in UTF-8, whatever the bytes given: a part of a string that is not
// UTF-8 is written as U+FFFD (records carry the exact bytes beside it in base64). Not thread-safe;
// one writer per string.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::report {

/// Appends `text` as a JSON string, quotes included.
void append_json_string(std::string& out, std::string_view text);

/// Standard base64 with padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

/// Appends to a string given at construction. Commas and nesting are its own business; a call that
/// would give invalid JSON (a value without a key inside an object) throws Error{internal}.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag);
  JsonWriter& value(double number);  // not finite: null
  JsonWriter& null();
  template <std::integral T>
  JsonWriter& value(T number) {
    if constexpr (std::is_signed_v<T>) {
      return signed_value(static_cast<std::int64_t>(number));
    } else {
      return unsigned_value(static_cast<std::uint64_t>(number));
    }
  }
  /// `json` must be one complete JSON value; it is copied as it is.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }

 private:
  enum class Place : std::uint8_t {
    object_first,
    object_next,
    object_value,
    array_first,
    array_next
  };
  void before_value();
  JsonWriter& signed_value(std::int64_t number);
  JsonWriter& unsigned_value(std::uint64_t number);

  std::string& out_;
  std::vector<Place> places_;
};

}  // namespace toktier::report
