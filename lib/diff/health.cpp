#include "diff/health.hpp"

#include "report/escape.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>

namespace toktier::diff {

Health health_of(const Tokenizer& tokenizer, std::size_t most_examples) {
  Health health;
  Tokenizer::Scratch scratch(tokenizer);
  Encoding encoding;
  EncodeOptions options;
  options.truncate = false;
  std::unordered_set<std::string> seen;
  for (TokenId id = 0; id < tokenizer.end_id(); ++id) {
    if (tokenizer.token_text(id).empty() && !tokenizer.is_special(id)) continue;
    std::string text;
    try {
      const TokenId ids[] = {id};
      text = tokenizer.decode(ids);
    } catch (const Error&) {
      continue;  // an unused id
    }
    ++health.entries;
    if (text.empty()) {
      ++health.empty;
      continue;
    }
    // A lossy decoder shows bytes that are no characters by U+FFFD.
    if (unicode::find_invalid_utf8(text) || text.find("\xEF\xBF\xBD") != std::string::npos) {
      ++health.partial;
      continue;
    }
    if (!seen.insert(text).second) ++health.shared;
    options.special = tokenizer.is_special(id) ? SpecialMode::all : SpecialMode::file_default;
    try {
      tokenizer.encode(text, options, scratch, encoding);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      ++health.refused;
      continue;
    }
    if (encoding.ids.size() == 1 && encoding.ids[0] == id) {
      ++health.themselves;
      continue;
    }
    ++health.others;
    if (health.examples.size() < most_examples)
      health.examples.push_back(fmt::format("id {} \"{}\" -> {}", id,
                                            report::escape_preview(text, 40),
                                            fmt::join(encoding.ids, " ")));
  }
  return health;
}

}  // namespace toktier::diff
