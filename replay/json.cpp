#include "replay/json.hpp"

#include "io/read_all.hpp"
#include "io/surrogates.hpp"
#include "report/escape.hpp"

#include <algorithm>
#include <cmath>

namespace toktier::replay {
namespace {

constexpr std::size_t kMaxDepth = 512;

bool number_character(char c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

/// No 64 bits hold it: a whole number beyond both ranges, or a power that may be infinite.
bool too_long(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  if (e != std::string_view::npos || number.find('.') != std::string_view::npos) {
    const std::string_view exponent =
        e == std::string_view::npos ? std::string_view() : number.substr(e + 1);
    return std::count_if(exponent.begin(), exponent.end(),
                         [](char c) { return c >= '0' && c <= '9'; }) > 2;
  }
  const bool negative = number.starts_with('-');
  const std::string_view digits = number.substr(negative ? 1 : 0);
  const std::string_view limit = negative ? "9223372036854775808" : "18446744073709551615";
  return digits.size() > limit.size() || (digits.size() == limit.size() && digits > limit);
}

/// The end of the string whose opening quote is at `at`, one past the closing one.
std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '\\') {
      ++at;
    } else if (json[at] == '"') {
      return at + 1;
    }
  }
  return json.size();
}

}  // namespace

std::size_t quote_long_numbers(std::string_view json, std::string& out) {
  out.clear();
  out.reserve(json.size() + 64 + io::kReadPadding);
  std::size_t count = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      const std::size_t end = string_end(json, at);
      out.append(json.substr(at, end - at));
      at = end;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      std::size_t end = at + 1;
      while (end < json.size() && number_character(json[end])) ++end;
      const std::string_view number = json.substr(at, end - at);
      const bool quote = too_long(number);
      if (quote) out += '"';
      out.append(number);
      if (quote) out += '"';
      count += quote;
      at = end;
    } else {
      out += c;
      ++at;
    }
  }
  return count;
}

simdjson::error_code JsonParser::run(std::string_view text, Json& out) {
  if (parser_.capacity() < text.size() || parser_.max_depth() != kMaxDepth) {
    const simdjson::error_code error =
        parser_.allocate(std::max<std::size_t>(text.size(), std::size_t{1} << 16), kMaxDepth);
    if (error != simdjson::SUCCESS) return error;
  }
  return parser_.parse(text.data(), text.size(), false).get(out);
}

bool JsonParser::parse(std::string_view text, Json& out) {
  simdjson::error_code error = run(text, out);
  if (error == simdjson::NUMBER_ERROR) {
    std::string quoted;
    const std::size_t count = quote_long_numbers(text, quoted);
    if (count > 0) {
      copy_ = std::move(quoted);
      copy_.reserve(copy_.size() + io::kReadPadding);
      text = copy_;
      error = run(text, out);
      if (error == simdjson::SUCCESS) quoted_numbers_ += count;
    }
  }
  if (error == simdjson::STRING_ERROR) {
    std::string repaired(text);
    const std::size_t count = io::replace_lone_surrogates(repaired);
    if (count > 0) {
      copy_ = std::move(repaired);
      copy_.reserve(copy_.size() + io::kReadPadding);
      error = run(copy_, out);
      if (error == simdjson::SUCCESS) replaced_surrogates_ += count;
    }
  }
  if (error == simdjson::SUCCESS) return true;
  error_ = error == simdjson::NUMBER_ERROR ? "a malformed number" : simdjson::error_message(error);
  return false;
}

bool JsonParser::parse_copy(std::string_view text, Json& out) {
  std::string padded;
  padded.reserve(text.size() + io::kReadPadding);
  padded = text;
  return parse(padded, out);
}

std::optional<Json> member(Json value, std::string_view name) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return std::nullopt;
  Json out;
  if (object.at_key(name).get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

std::optional<Json> member_value(Json value, std::string_view name) {
  std::optional<Json> out = member(value, name);
  if (out && out->is_null()) out.reset();
  return out;
}

std::string_view text_at(Json value, std::string_view name) {
  std::string_view text;
  if (const auto found = member(value, name)) {
    if (found->get(text) != simdjson::SUCCESS) return {};
  }
  return text;
}

std::optional<double> number_at(Json value, std::string_view name) {
  const auto found = member(value, name);
  if (!found) return std::nullopt;
  double number = 0;
  if (found->get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (found->get(text) != simdjson::SUCCESS || text.empty()) return std::nullopt;
  for (const char c : text) {
    if ((c < '0' || c > '9') && c != '.') return std::nullopt;
    if (c != '.') number = number * 10 + (c - '0');
  }
  const std::size_t dot = text.find('.');
  if (dot != std::string_view::npos)
    number /= std::pow(10.0, static_cast<double>(text.size() - dot - 1));
  return number;
}

std::optional<std::uint64_t> count_at(Json value, std::string_view name) {
  const auto found = member(value, name);
  std::uint64_t count = 0;
  if (found && found->get(count) == simdjson::SUCCESS) return count;
  return std::nullopt;
}

bool flag_at(Json value, std::string_view name) {
  const auto found = member(value, name);
  bool flag = false;
  return found && found->get(flag) == simdjson::SUCCESS && flag;
}

std::string text_or_json(Json value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return value.is_null() ? std::string() : simdjson::minify(value);
}

std::string shown_text(std::string_view text, std::size_t limit) {
  return report::escape_preview(text, limit);
}

std::string shown(Json value, std::size_t limit) {
  switch (value.type()) {
    case simdjson::dom::element_type::ARRAY:
      return "an array";
    case simdjson::dom::element_type::OBJECT:
      return "an object";
    default:
      return report::escape_preview(simdjson::minify(value), limit);
  }
}

std::string_view kind_of(Json value) {
  switch (value.type()) {
    case simdjson::dom::element_type::ARRAY:
      return "an array";
    case simdjson::dom::element_type::OBJECT:
      return "an object";
    case simdjson::dom::element_type::STRING:
      return "a string";
    case simdjson::dom::element_type::BOOL:
      return "true or false";
    case simdjson::dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

}  // namespace toktier::replay
