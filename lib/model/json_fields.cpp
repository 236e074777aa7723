#include "model/json_fields.hpp"

#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace toktier::model {

namespace {
std::string place(const LoadContext& context, const std::string& field) {
  return field.empty() ? context.file : context.file + ": " + field;
}
[[noreturn]] void fail_type(Json value, const LoadContext& context, const std::string& field,
                            const char* expected) {
  fail_input(context, field, fmt::format("{} found, {} expected", describe(value), expected));
}
}  // namespace

void fail_input(const LoadContext& context, const std::string& field, const std::string& message) {
  throw Error(ErrorCode::input, message, place(context, field));
}

void fail_unsupported(const LoadContext& context, const std::string& field,
                      const std::string& message) {
  throw Error(ErrorCode::unsupported, message, place(context, field));
}

std::string describe(Json value) {
  switch (value.type()) {
    case simdjson::dom::element_type::ARRAY:
      return "an array";
    case simdjson::dom::element_type::OBJECT:
      return "an object";
    case simdjson::dom::element_type::NULL_VALUE:
      return "null";
    default:
      break;
  }
  std::string text = simdjson::minify(value);
  constexpr std::size_t kShown = 60;
  if (text.size() > kShown) {
    std::size_t cut = kShown;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80) --cut;
    text.resize(cut);
    text += "...";
  }
  return text;
}

Json parse_json(simdjson::dom::parser& parser, std::string_view text, bool padded,
                const LoadContext& context) {
  constexpr std::size_t kMaxDepth = 128;
  simdjson::error_code error = parser.allocate(std::max<std::size_t>(text.size(), 64), kMaxDepth);
  Json document;
  if (error == simdjson::SUCCESS) {
    error = parser.parse(text.data(), text.size(), !padded).get(document);
  }
  if (error != simdjson::SUCCESS) {
    const std::string why = error == simdjson::NUMBER_ERROR
                                ? "a number that is malformed or beyond 64 bits"
                                : simdjson::error_message(error);
    fail_input(context, "", "not valid JSON: " + why);
  }
  return document;
}

bool to_bool(Json value, const LoadContext& context, const std::string& field) {
  bool out = false;
  if (value.get(out) != simdjson::SUCCESS) fail_type(value, context, field, "true or false");
  return out;
}

std::string_view to_string(Json value, const LoadContext& context, const std::string& field) {
  std::string_view out;
  if (value.get(out) != simdjson::SUCCESS) fail_type(value, context, field, "a string");
  return out;
}

std::uint64_t to_unsigned(Json value, const LoadContext& context, const std::string& field) {
  std::uint64_t out = 0;
  if (value.get(out) != simdjson::SUCCESS) fail_type(value, context, field, "a whole number >= 0");
  return out;
}

std::uint32_t to_u32(Json value, const LoadContext& context, const std::string& field) {
  const std::uint64_t out = to_unsigned(value, context, field);
  if (out > 0xFFFFFFFFULL) fail_type(value, context, field, "a number below 2^32");
  return static_cast<std::uint32_t>(out);
}

simdjson::dom::array to_array(Json value, const LoadContext& context, const std::string& field) {
  simdjson::dom::array out;
  if (value.get(out) != simdjson::SUCCESS) fail_type(value, context, field, "an array");
  return out;
}

Fields::Fields(Json value, LoadContext& context, std::string field)
    : context_(&context), field_(std::move(field)) {
  if (value.get(object_) != simdjson::SUCCESS) fail_type(value, context, field_, "an object");
}

std::string Fields::path(std::string_view name) const {
  return field_.empty() ? std::string(name) : fmt::format("{}.{}", field_, name);
}

std::optional<Json> Fields::find(std::string_view name) {
  if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) asked_.emplace_back(name);
  std::optional<Json> out;
  for (const auto [key, value] : object_) {
    if (key == name) out = value;
  }
  return out;
}

std::optional<Json> Fields::find_value(std::string_view name) {
  std::optional<Json> out = find(name);
  if (out && out->is_null()) out.reset();
  return out;
}

Json Fields::need(std::string_view name) {
  const std::optional<Json> out = find(name);
  if (!out) fail_input(*context_, path(name), "required field is missing");
  return *out;
}

bool Fields::need_bool(std::string_view name) { return to_bool(need(name), *context_, path(name)); }

std::string Fields::need_string(std::string_view name) {
  return std::string(to_string(need(name), *context_, path(name)));
}

std::uint32_t Fields::need_u32(std::string_view name) {
  return to_u32(need(name), *context_, path(name));
}

std::size_t Fields::need_size(std::string_view name) {
  return to_unsigned(need(name), *context_, path(name));
}

char32_t Fields::need_char(std::string_view name) {
  const std::string text = need_string(name);
  if (!text.empty()) {
    const unicode::Decoded first = unicode::decode(text.data());
    if (first.length == text.size()) return first.code_point;
  }
  fail_input(*context_, path(name),
             fmt::format("\"{}\" found, a string of exactly one character expected", text));
}

std::optional<bool> Fields::maybe_bool(std::string_view name) {
  const std::optional<Json> value = find_value(name);
  if (!value) return std::nullopt;
  return to_bool(*value, *context_, path(name));
}

std::optional<std::string> Fields::maybe_string(std::string_view name) {
  const std::optional<Json> value = find_value(name);
  if (!value) return std::nullopt;
  return std::string(to_string(*value, *context_, path(name)));
}

bool Fields::bool_or(std::string_view name, bool fallback) {
  const std::optional<Json> value = find(name);
  return value ? to_bool(*value, *context_, path(name)) : fallback;
}

void Fields::refuse_repeated() const {
  std::set<std::string_view> seen;
  for (const auto [key, value] : object_) {
    if (!seen.insert(key).second) {
      fail_input(*context_, path(key), "field occurs twice; the reference refuses that here");
    }
  }
}

void Fields::note_unused() {
  for (const auto [key, value] : object_) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
      context_->notes.push_back(
          fmt::format("field {} = {} is ignored by the reference", path(key), describe(value)));
      asked_.emplace_back(key);
    }
  }
}

}  // namespace toktier::model
