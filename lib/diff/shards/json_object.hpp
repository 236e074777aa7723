#pragma once
// Fields of the records that campaigns write, read back. A field that is missing or of another kind
// is Error{input} naming it.

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace toktier::diff::shards {

/// One object of a parsed document, which must live as long.
class JsonObject {
 public:
  /// `where` is named in errors.
  JsonObject(simdjson::dom::element element, std::string where);

  std::string text(const char* name) const;
  std::uint64_t number(const char* name) const;
  double real(const char* name) const;
  bool flag(const char* name) const;
  JsonObject object(const char* name) const;
  std::vector<JsonObject> objects(const char* name) const;
  std::vector<std::string> texts(const char* name) const;
  std::map<std::string, std::uint64_t> counts(const char* name) const;
  std::map<std::string, double> reals(const char* name) const;
  std::size_t size(const char* name) const;  // of a list
  bool has(const char* name) const;          // and is not null
  [[noreturn]] void fail(const std::string& message) const;

 private:
  simdjson::dom::element field(const char* name) const;

  simdjson::dom::object object_;
  std::string where_;
};

/// Keeps the parser that the elements live in. Not thread-safe.
class JsonText {
 public:
  /// Error{input} when `text` is no JSON object.
  JsonText(const std::string& text, const std::string& where);
  const JsonObject& root() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::padded_string text_;
  JsonObject root_;
};

}  // namespace toktier::diff::shards
