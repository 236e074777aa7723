#include "diff/shards/json_object.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

namespace toktier::diff::shards {
namespace {

simdjson::dom::element parse(simdjson::dom::parser& parser, const simdjson::padded_string& text,
                             const std::string& where) {
  simdjson::dom::element element;
  const auto error = parser.parse(text).get(element);
  if (error != simdjson::SUCCESS)
    throw Error(ErrorCode::input, fmt::format("no JSON object: {}", simdjson::error_message(error)),
                where);
  return element;
}

}  // namespace

JsonObject::JsonObject(simdjson::dom::element element, std::string where)
    : where_(std::move(where)) {
  if (element.get(object_) != simdjson::SUCCESS) fail("not a JSON object");
}

void JsonObject::fail(const std::string& message) const {
  throw Error(ErrorCode::input, message, where_);
}

simdjson::dom::element JsonObject::field(const char* name) const {
  simdjson::dom::element element;
  if (object_.at_key(name).get(element) != simdjson::SUCCESS)
    fail(fmt::format("no field {}", name));
  return element;
}

bool JsonObject::has(const char* name) const {
  simdjson::dom::element element;
  return object_.at_key(name).get(element) == simdjson::SUCCESS && !element.is_null();
}

std::string JsonObject::text(const char* name) const {
  std::string_view text;
  if (field(name).get(text) != simdjson::SUCCESS) fail(fmt::format("field {} is no text", name));
  return std::string(text);
}

std::uint64_t JsonObject::number(const char* name) const {
  std::uint64_t number = 0;
  if (field(name).get(number) != simdjson::SUCCESS)
    fail(fmt::format("field {} is no whole number", name));
  return number;
}

double JsonObject::real(const char* name) const {
  double number = 0;
  if (field(name).get(number) != simdjson::SUCCESS)
    fail(fmt::format("field {} is no number", name));
  return number;
}

bool JsonObject::flag(const char* name) const {
  bool flag = false;
  if (field(name).get(flag) != simdjson::SUCCESS) fail(fmt::format("field {} is no flag", name));
  return flag;
}

JsonObject JsonObject::object(const char* name) const {
  return {field(name), fmt::format("{}: {}", where_, name)};
}

std::vector<JsonObject> JsonObject::objects(const char* name) const {
  simdjson::dom::array array;
  if (field(name).get(array) != simdjson::SUCCESS) fail(fmt::format("field {} is no list", name));
  std::vector<JsonObject> all;
  for (const simdjson::dom::element element : array)
    all.emplace_back(element, fmt::format("{}: {}[{}]", where_, name, all.size()));
  return all;
}

std::vector<std::string> JsonObject::texts(const char* name) const {
  simdjson::dom::array array;
  if (field(name).get(array) != simdjson::SUCCESS) fail(fmt::format("field {} is no list", name));
  std::vector<std::string> all;
  for (const simdjson::dom::element element : array) {
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) fail(fmt::format("field {} has no texts", name));
    all.emplace_back(text);
  }
  return all;
}

std::map<std::string, std::uint64_t> JsonObject::counts(const char* name) const {
  simdjson::dom::object object;
  if (field(name).get(object) != simdjson::SUCCESS)
    fail(fmt::format("field {} is no object", name));
  std::map<std::string, std::uint64_t> all;
  for (const auto& [key, value] : object) {
    std::uint64_t count = 0;
    if (value.get(count) != simdjson::SUCCESS) fail(fmt::format("field {} has no counts", name));
    all.emplace(std::string(key), count);
  }
  return all;
}

std::map<std::string, double> JsonObject::reals(const char* name) const {
  simdjson::dom::object object;
  if (field(name).get(object) != simdjson::SUCCESS)
    fail(fmt::format("field {} is no object", name));
  std::map<std::string, double> all;
  for (const auto& [key, value] : object) {
    double number = 0;
    if (value.get(number) != simdjson::SUCCESS) fail(fmt::format("field {} has no numbers", name));
    all.emplace(std::string(key), number);
  }
  return all;
}

std::size_t JsonObject::size(const char* name) const {
  simdjson::dom::array array;
  if (field(name).get(array) != simdjson::SUCCESS) fail(fmt::format("field {} is no list", name));
  std::size_t count = 0;
  for ([[maybe_unused]] const simdjson::dom::element element : array) ++count;
  return count;
}

JsonText::JsonText(const std::string& text, const std::string& where)
    : text_(text), root_(parse(parser_, text_, where), where) {}

}  // namespace toktier::diff::shards
