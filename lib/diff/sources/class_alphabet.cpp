#include "diff/sources/generators.hpp"
#include "pretok/class_map.hpp"
#include "pretok/regex_dialect.hpp"
#include "pretok/regex_parser.hpp"
#include "pretok/regex_program.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::diff::sources {

std::vector<std::string> class_alphabet(const std::string& patterns, bool tiktoken_dialect,
                                        std::size_t extra) {
  // The form in which a tokenizer's info joins the patterns of a chain.
  static constexpr std::string_view kThen = "  then  ";
  std::vector<unicode::CodePointSet> sets;
  for (std::size_t at = 0; at < patterns.size();) {
    const std::size_t end = std::min(patterns.find(kThen, at), patterns.size());
    const std::string pattern = patterns.substr(at, end - at);
    at = end + kThen.size();
    if (pattern.starts_with("string \"")) continue;
    try {
      const pretok::Dialect dialect =
          tiktoken_dialect ? pretok::fancy_dialect() : pretok::onig_dialect();
      const pretok::Program program =
          pretok::compile_program(pretok::parse_regex(pattern, dialect));
      sets.insert(sets.end(), program.sets.begin(), program.sets.end());
    } catch (const Error&) {
      return {};
    }
  }
  std::vector<std::string> alphabet;
  if (sets.empty()) return alphabet;
  const pretok::ClassMap map(sets);
  for (std::size_t nth = 0; nth <= extra; ++nth) {
    for (std::uint32_t c = 0; c < map.classes(); ++c) {
      const auto members = map.representatives(c);
      if (nth >= members.size() || (members[nth] >= 0xD800 && members[nth] <= 0xDFFF)) continue;
      std::string text;
      unicode::append_utf8(text, members[nth]);
      if (std::find(alphabet.begin(), alphabet.end(), text) == alphabet.end())
        alphabet.push_back(std::move(text));
    }
  }
  return alphabet;
}

}  // namespace toktier::diff::sources
