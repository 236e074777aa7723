#include "diff/sources/case_file.hpp"

#include "io/read_all.hpp"
#include "normalize/normalizer.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <limits>
#include <optional>

namespace toktier::diff::sources {
namespace {

using Json = simdjson::dom::element;
constexpr std::size_t kMaxText = std::size_t{256} << 20;
constexpr int kMaxDepth = 32;

/// A generator this reader has no rule for; its name.
struct NotAText {
  std::string name;
};

[[noreturn]] void bad(const std::string& what) { throw Error(ErrorCode::input, what); }

std::string_view need_text(Json value, const char* name) {
  std::string_view text;
  if (value.get(text)) bad(fmt::format("{}: text expected", name));
  return text;
}

std::uint64_t need_number(Json value, const char* name) {
  std::uint64_t number = 0;
  if (value.get(number)) bad(fmt::format("{}: a number expected", name));
  return number;
}

std::uint32_t parse_hex(std::string_view digits, std::uint32_t limit) {
  std::uint32_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (code != std::errc() || end != digits.data() + digits.size() || value > limit) {
    bad(fmt::format("bad hexadecimal number '{}'", digits));
  }
  return value;
}

char32_t code_point(Json value) {
  std::string_view text = need_text(value, "code point");
  if (!text.starts_with("U+")) bad(fmt::format("bad code point '{}'", text));
  return parse_hex(text.substr(2), 0x10FFFF);
}

void limit(const std::string& text) {
  if (text.size() > kMaxText) bad("a generated text is too long");
}

std::string make_text(Json value, int depth);

std::string repeat(Json object, int depth) {
  const std::string part = make_text(object["repeat"], depth);
  const std::uint64_t count = need_number(object["count"], "count");
  if (count > kMaxText || part.size() * count > kMaxText) bad("a generated text is too long");
  std::string text;
  text.reserve(part.size() * count);
  for (std::uint64_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string concat(Json object, int depth) {
  std::string text;
  for (const Json part : object["concat"].get_array()) {
    text += make_text(part, depth);
    limit(text);
  }
  return text;
}

std::string range(Json object, int) {
  std::vector<char32_t> ends;
  for (const Json end : object["range"].get_array()) ends.push_back(code_point(end));
  if (ends.size() != 2) bad("range: two code points expected");
  std::string_view separator;
  if (Json found; !object["sep"].get(found)) separator = need_text(found, "sep");
  std::string text;
  for (char32_t c = ends[0]; c <= ends[1]; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    if (!text.empty()) text += separator;
    unicode::append_utf8(text, c);
    limit(text);
  }
  return text;
}

std::string code_points(Json object, int) {
  std::string text;
  for (const Json item : object["codepoints"].get_array())
    unicode::append_utf8(text, code_point(item));
  return text;
}

std::string bytes_hex(Json object, int) {
  const std::string_view digits = need_text(object["bytes_hex"], "bytes_hex");
  if (digits.size() % 2 != 0) bad("bytes_hex: an even number of digits expected");
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    text += static_cast<char>(parse_hex(digits.substr(i, 2), 0xFF));
  }
  return text;
}

std::string utf16_units(Json object, int) {
  std::vector<std::uint32_t> units;
  for (const Json item : object["utf16_units"].get_array()) {
    units.push_back(parse_hex(need_text(item, "utf16_units"), 0xFFFF));
  }
  std::string text;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool high = units[i] >= 0xD800 && units[i] < 0xDC00;
    if (high && i + 1 < units.size() && units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000) {
      unicode::append_utf8(text, 0x10000 + ((units[i] - 0xD800) << 10) + (units[i + 1] - 0xDC00));
      ++i;
    } else {
      unicode::append_utf8(text, units[i] >= 0xD800 && units[i] < 0xE000 ? 0xFFFD : units[i]);
    }
  }
  return text;
}

std::string lcg(Json object, int) {
  const Json rule = object["lcg"].value();
  const std::string_view alphabet = need_text(rule["alphabet"], "alphabet");
  const std::uint64_t length = need_number(rule["length"], "length");
  std::uint64_t state = need_number(rule["seed"], "seed");
  if (alphabet.empty() || length > kMaxText) bad("lcg: bad alphabet or length");
  for (const char c : alphabet) {
    if (static_cast<unsigned char>(c) >= 0x80) bad("lcg: an ASCII alphabet expected");
  }
  std::string text;
  for (std::uint64_t i = 0; i < length; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    text += alphabet[(state >> 33) % alphabet.size()];
  }
  return text;
}

std::string normalized(Json object, int depth) {
  const std::string_view form = need_text(object["normalize"], "normalize");
  model::Normalizer step;
  if (form == "NFC") {
    step = model::NormNfc{};
  } else if (form == "NFD") {
    step = model::NormNfd{};
  } else if (form == "NFKC") {
    step = model::NormNfkc{};
  } else if (form == "NFKD") {
    step = model::NormNfkd{};
  } else {
    throw NotAText{"normalize " + std::string(form)};
  }
  const std::string original = make_text(object["of"], depth);
  unicode::AlignedText text;
  text.reset(original, 0, false);
  normalize::Normalizer::compile({step}, model::Reference::hf_tokenizers).run(text);
  return std::string(text.text());
}

std::string make_text(Json value, int depth) {
  if (depth > kMaxDepth) bad("generators nested too deep");
  std::string_view plain;
  if (!value.get(plain)) return std::string(plain);
  simdjson::dom::object object;
  if (value.get(object)) bad("generator: text or an object expected");
  struct Rule {
    const char* name;
    std::string (*make)(Json, int);
  };
  static constexpr Rule kRules[] = {{"repeat", repeat},
                                    {"concat", concat},
                                    {"range", range},
                                    {"codepoints", code_points},
                                    {"bytes_hex", bytes_hex},
                                    {"utf16_units", utf16_units},
                                    {"lcg", lcg},
                                    {"normalize", normalized}};
  for (const Rule& rule : kRules) {
    Json found;
    if (!object[rule.name].get(found)) return rule.make(value, depth + 1);
  }
  std::string name = "empty";
  for (const auto field : object) {
    name = field.key;
    break;
  }
  throw NotAText{name};
}

std::optional<std::string> why_left_out(Json root) {
  std::string_view op;
  if (Json found; !root["op"].get(found) && !found.get(op)) return "case: op " + std::string(op);
  if (Json found; !root["mutation"].get(found)) return "case: mutation of a model file";
  return std::nullopt;
}

void read_case(Json root, CaseFile& file) {
  ++file.total;
  if (const auto reason = why_left_out(root)) {
    ++file.left_out[*reason];
    return;
  }
  Case item;
  item.document.id = need_text(root["id"], "id");
  item.tokenizer = need_text(root["tokenizer"], "tokenizer");
  if (Json note; !root["note"].get(note)) {
    item.with_bos = need_text(note, "note").find("ith BOS") != std::string_view::npos;
  }
  try {
    Json source;
    if (root["text"].get(source) && root["generator"].get(source))
      bad("neither text nor generator");
    item.document.text = make_text(source, 0);
  } catch (const NotAText& generator) {
    ++file.left_out["case: generator " + generator.name];
    return;
  }
  simdjson::dom::array ids;
  if (!root["expect"].get(ids)) {
    item.document.has_quoted = true;
    for (const Json id : ids) {
      const std::uint64_t number = need_number(id, "expect");
      if (number > std::numeric_limits<TokenId>::max()) bad("expect: not a token id");
      item.document.quoted.push_back(static_cast<TokenId>(number));
    }
  }
  file.cases.push_back(std::move(item));
}

}  // namespace

CaseFile read_case_file(const std::string& path) {
  const std::string bytes = io::read_all(path);
  CaseFile file;
  simdjson::dom::parser parser;
  std::size_t number = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string line = bytes.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    try {
      Json root;
      if (const auto code = parser.parse(line).get(root); code) bad(simdjson::error_message(code));
      const std::size_t before = file.cases.size();
      read_case(root, file);
      if (file.cases.size() > before) file.cases.back().document.origin = path;
    } catch (const simdjson::simdjson_error& error) {
      throw Error(ErrorCode::input, error.what(), where);
    } catch (const Error& error) {
      throw Error(error.code(), error.what(), where);
    }
  }
  return file;
}

}  // namespace toktier::diff::sources
