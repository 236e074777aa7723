#pragma once
// Reading JSON objects of tokenizer files the way the reference's derived deserializers do:
// required and optional fields, the last of equal keys wins, fields nobody asked for are reported
// as notes. Internal to this room.

#include "toktier/error.hpp"
#include "toktier/types.hpp"

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::model {

using Json = simdjson::dom::element;

/// What every reader needs to say where it is. Lives as long as one load.
struct LoadContext {
  std::string file;                // as shown to the user
  std::vector<std::string> notes;  // become TokenizerSpec::notes
  std::string_view text =
      {};  // the JSON document, with kReadPadding behind it; empty for other formats
};

/// Error{input}: "file: field: message".
[[noreturn]] void fail_input(const LoadContext& context, const std::string& field,
                             const std::string& message);
/// Error{unsupported}: a valid file that asks for something not implemented.
[[noreturn]] void fail_unsupported(const LoadContext& context, const std::string& field,
                                   const std::string& message);

/// A short form of a value for messages ("string \"abc\"", "an array").
std::string describe(Json value);

/// Parses text that must outlive nothing: the document lives in `parser`. Nesting deeper than 128
/// levels (the reference's own limit) is refused. `text` must have kReadPadding readable bytes
/// behind it when `padded`.
Json parse_json(simdjson::dom::parser& parser, std::string_view text, bool padded,
                const LoadContext& context);

class Fields {
 public:
  /// Error{input} when `value` is not an object. `field` is its path for messages, empty for the
  /// document.
  Fields(Json value, LoadContext& context, std::string field);

  /// The value of the last field of this name, null included; nullopt when absent.
  std::optional<Json> find(std::string_view name);
  /// The same with null treated as absent (an optional value of the reference).
  std::optional<Json> find_value(std::string_view name);
  Json need(std::string_view name);

  bool need_bool(std::string_view name);
  std::string need_string(std::string_view name);
  std::uint32_t need_u32(std::string_view name);
  std::size_t need_size(std::string_view name);
  char32_t need_char(std::string_view name);
  std::optional<bool> maybe_bool(std::string_view name);  // null = absent
  std::optional<std::string> maybe_string(std::string_view name);
  /// Absent = `fallback`; null is an error, as for a field with a default in the reference.
  bool bool_or(std::string_view name, bool fallback);

  /// Marks a field as known without reading it.
  void ignore(std::string_view name) { (void)find(name); }
  /// Error{input} when a name occurs twice (readers of the reference that refuse it).
  void refuse_repeated() const;
  /// Adds one note for each field never asked for.
  void note_unused();

  const std::string& field() const { return field_; }
  std::string path(std::string_view name) const;
  LoadContext& context() const { return *context_; }
  simdjson::dom::object object() const { return object_; }

 private:
  simdjson::dom::object object_;
  LoadContext* context_;
  std::string field_;
  std::vector<std::string> asked_;
};

// The same conversions for values that are not fields.
bool to_bool(Json value, const LoadContext& context, const std::string& field);
std::string_view to_string(Json value, const LoadContext& context, const std::string& field);
std::uint64_t to_unsigned(Json value, const LoadContext& context, const std::string& field);
std::uint32_t to_u32(Json value, const LoadContext& context, const std::string& field);
simdjson::dom::array to_array(Json value, const LoadContext& context, const std::string& field);

}  // namespace toktier::model
