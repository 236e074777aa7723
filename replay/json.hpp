#pragma once
// JSON as transcripts have it: read with simdjson, made tolerant where real files need it. Internal
// to this room.

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toktier::replay {

using Json = simdjson::dom::element;

/// Parses one value at a time; a result is valid until the next call. Not thread-safe.
///
/// Numbers that no 64 bits hold (trace ids of 128 bits, 1e999) do not fail: they become strings of
/// their own digits. Half surrogate pairs in escapes become U+FFFD. Both are counted.
class JsonParser {
 public:
  /// `text` must have io::kReadPadding readable bytes behind it. False: error() says why.
  bool parse(std::string_view text, Json& out);
  /// The same for any text; copies it.
  bool parse_copy(std::string_view text, Json& out);
  const std::string& error() const { return error_; }

  std::uint64_t quoted_numbers() const { return quoted_numbers_; }
  std::uint64_t replaced_surrogates() const { return replaced_surrogates_; }

 private:
  simdjson::error_code run(std::string_view text, Json& out);

  simdjson::dom::parser parser_;
  std::string copy_;
  std::string error_;
  std::uint64_t quoted_numbers_ = 0;
  std::uint64_t replaced_surrogates_ = 0;
};

/// Puts in quotes every whole number beyond 64 bits, and every number whose exponent has three
/// digits or more.
/// Returns how many. `json` need not be valid.
std::size_t quote_long_numbers(std::string_view json, std::string& out);

// --- Looking into values -------------------------------------------------------------------------

/// The member, or nothing when `value` is no object or has none.
std::optional<Json> member(Json value, std::string_view name);
/// The member unless it is null.
std::optional<Json> member_value(Json value, std::string_view name);
/// The string at `name`; empty when there is none, or it is no string.
std::string_view text_at(Json value, std::string_view name);
/// The number at `name`, also when it is a string of digits.
std::optional<double> number_at(Json value, std::string_view name);
std::optional<std::uint64_t> count_at(Json value, std::string_view name);
bool flag_at(Json value, std::string_view name);
/// A string as it is, anything else as compact JSON; null is empty.
std::string text_or_json(Json value);
/// Compact JSON of at most about `limit` bytes, cut at a character.
std::string shown(Json value, std::size_t limit = 60);
std::string shown_text(std::string_view text, std::size_t limit = 60);
/// "a string", "an array", ...
std::string_view kind_of(Json value);

}  // namespace toktier::replay
