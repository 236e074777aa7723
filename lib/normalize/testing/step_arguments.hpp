#pragma once
// Steps of a normalizer chain written as words, shared by normalize_probe and the tests of the
// committed vectors.
//
//   nfc nfd nfkc nfkd nmt strip_accents lowercase byte_level strip:left|right|both
//   prepend:HEX replace:HEX:HEX replace_runs:MIN:SET:HEX  (SET: hex code points joined by ',')
//   precompiled:FILE|@tiny bert:CHAR4 (clean, chinese, accents 0|1|n, lowercase)
//   sentencepiece:FILE|-|@tiny:FLAGS4 (dummy prefix, squeeze, escape, suffix)  literal:HEX (kept by
//   sentencepiece)

#include "normalize/normalizer.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::normalize::testing {

inline std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

/// A character map of a few keys, small enough to build on the spot: every node of the trie has a
/// block of 256 units of its own. scripts/unicode/make_vectors.py builds the same bytes.
inline std::string tiny_charsmap() {
  const std::pair<std::string_view, std::string_view> entries[] = {
      {"\x01", ""},
      {"\t", " "},
      {"\xC2\xA0", " "},
      {"\xEF\xAC\x81", "fi"},
      {"A\xCC\x80", "\xC3\x80"},
      {"\xE2\x84\xA2", "TM"},
      {"\xCC\x81", ""},
      {"\xE3\x80\x80", " "},
      {"\xE2\x80\xA6", "..."},
      {"e", "E"},
      {"\xF0\x9F\x98\x80", ":)"},
      {"\xC3\xA9", "e\xCC\x81"},
      {"\xE2\x9D\xA4", "<3"},
      {"\xE0\xA4\x95", "k"},
  };
  std::string texts;
  std::vector<std::uint32_t> units(256, 0);
  std::map<std::string, std::uint32_t> place{{"", 0}};  // prefix -> unit
  std::map<std::string, std::uint32_t> block;           // prefix -> first unit of its children
  const auto children = [&](const std::string& prefix) {
    const auto [it, fresh] = block.emplace(prefix, static_cast<std::uint32_t>(units.size()));
    if (fresh) {
      units.resize(units.size() + 256, 0);
      units[place[prefix]] |= (place[prefix] ^ it->second) << 10;
    }
    return it->second;
  };
  for (const auto& [key, text] : entries) {
    std::string prefix;
    for (const char byte : key) {
      const std::uint32_t unit = children(prefix) ^ static_cast<unsigned char>(byte);
      prefix.push_back(byte);
      place[prefix] = unit;
      units[unit] |= static_cast<unsigned char>(byte);
    }
    const std::uint32_t leaf = children(prefix);
    units[place[prefix]] |= 1U << 8;
    units[leaf] = 0x80000000U | static_cast<std::uint32_t>(texts.size());
    texts.append(text).push_back('\0');
  }
  std::string blob;
  const auto put = [&blob](std::uint32_t n) {
    for (int i = 0; i < 4; ++i) blob.push_back(static_cast<char>(n >> (8 * i) & 0xFF));
  };
  put(static_cast<std::uint32_t>(4 * units.size()));
  for (const std::uint32_t unit : units) put(unit);
  return blob + texts;
}

inline std::string file(const std::string& path) {
  if (path == "@tiny") return tiny_charsmap();
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Stands in for a regex engine: runs of at least `least` characters of a set, longest first.
class RunFinder final : public RegexFinder {
 public:
  RunFinder(std::size_t least, std::set<char32_t> members)
      : least_(least), members_(std::move(members)) {}
  bool find(std::string_view text, std::uint32_t from, Span* match) const override {
    std::uint32_t at = from;
    while (at < text.size() || least_ == 0) {
      std::uint32_t end = at;
      std::size_t count = 0;
      while (end < text.size()) {
        const unicode::Decoded d = unicode::decode(text.data() + end);
        if (members_.count(d.code_point) == 0) break;
        end += d.length;
        ++count;
      }
      if (count >= least_) {
        *match = {at, end};
        return true;
      }
      at =
          end +
          (end < text.size() ? unicode::sequence_length(static_cast<unsigned char>(text[end])) : 0);
    }
    return false;
  }

 private:
  std::size_t least_;
  std::set<char32_t> members_;
};

inline std::vector<std::string> fields(const std::string& argument) {
  std::vector<std::string> out(1);
  for (const char c : argument) {
    if (c == ':') {
      out.emplace_back();
    } else {
      out.back().push_back(c);
    }
  }
  return out;
}

/// The pattern text of a replace_runs step carries its two fields.
inline std::unique_ptr<const RegexFinder> run_finder(const std::string& pattern) {
  const std::vector<std::string> f = fields(pattern);
  std::set<char32_t> members;
  std::string number;
  for (const char c : f.at(1) + ",") {
    if (c != ',') {
      number.push_back(c);
      continue;
    }
    members.insert(static_cast<char32_t>(std::stoul(number, nullptr, 16)));
    number.clear();
  }
  return std::make_unique<RunFinder>(std::stoul(f.at(0)), std::move(members));
}

inline void add_step(const std::string& argument, std::vector<model::Normalizer>& steps,
                     std::vector<std::string>& literals) {
  const std::vector<std::string> f = fields(argument);
  const std::string& name = f[0];
  if (name == "nfc") return steps.emplace_back(model::NormNfc{}), void();
  if (name == "nfd") return steps.emplace_back(model::NormNfd{}), void();
  if (name == "nfkc") return steps.emplace_back(model::NormNfkc{}), void();
  if (name == "nfkd") return steps.emplace_back(model::NormNfkd{}), void();
  if (name == "nmt") return steps.emplace_back(model::NormNmt{}), void();
  if (name == "strip_accents") return steps.emplace_back(model::NormStripAccents{}), void();
  if (name == "lowercase") return steps.emplace_back(model::NormLowercase{}), void();
  if (name == "byte_level") return steps.emplace_back(model::NormByteLevel{}), void();
  if (name == "strip") {
    return steps.emplace_back(model::NormStrip{f.at(1) != "right", f.at(1) != "left"}), void();
  }
  if (name == "prepend") return steps.emplace_back(model::NormPrepend{from_hex(f.at(1))}), void();
  if (name == "append") return steps.emplace_back(model::NormAppend{from_hex(f.at(1))}), void();
  if (name == "replace") {
    return steps.emplace_back(model::NormReplace{{false, from_hex(f.at(1))}, from_hex(f.at(2))}),
           void();
  }
  if (name == "replace_runs") {
    return steps.emplace_back(
               model::NormReplace{{true, f.at(1) + ":" + f.at(2)}, from_hex(f.at(3))}),
           void();
  }
  if (name == "precompiled")
    return steps.emplace_back(model::NormPrecompiled{file(f.at(1))}), void();
  if (name == "bert") {
    model::NormBert bert;
    bert.clean_text = f.at(1).at(0) == '1';
    bert.handle_chinese_chars = f.at(1).at(1) == '1';
    if (f.at(1).at(2) != 'n') bert.strip_accents = f.at(1).at(2) == '1';
    bert.lowercase = f.at(1).at(3) == '1';
    return steps.emplace_back(bert), void();
  }
  if (name == "sentencepiece") {
    const std::string& flags = f.at(2);
    return steps.emplace_back(model::NormSentencePiece{
               f.at(1) == "-" ? std::string() : file(f.at(1)), flags.at(0) == '1',
               flags.at(1) == '1', flags.at(2) == '1', flags.at(3) == '1'}),
           void();
  }
  if (name == "literal") return literals.push_back(from_hex(f.at(1)));
  throw Error(ErrorCode::usage, "unknown step " + argument);
}

}  // namespace toktier::normalize::testing
