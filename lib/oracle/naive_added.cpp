#include "oracle/naive_added.hpp"

#include "toktier/error.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace toktier::oracle {

namespace {

[[noreturn]] void fails(const std::string& what) {
  throw Error(ErrorCode::unsupported, "naive: the reference " + what);
}

/// Begin of the character that ends at `at`; `at` > 0.
std::size_t before(std::string_view text, std::size_t at) {
  do --at;
  while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

char32_t at_in(std::string_view text, std::size_t at) {
  return unicode::decode(text.data() + at).code_point;
}

bool in_list(const std::vector<std::string>& list, const std::string& content) {
  return std::find(list.begin(), list.end(), content) != list.end();
}

}  // namespace

NaiveAdded::NaiveAdded(const model::TokenizerSpec& spec,
                       const std::function<std::string(const std::string&)>& normalize)
    : reference_(spec.reference) {
  std::map<TokenId, Token> by_id;  // a later token takes over the id of an earlier one
  std::set<std::string> specials;  // a content that was ever special stays so
  std::map<TokenId, std::string> normal;
  for (const model::AddedToken& given : spec.added_tokens) {
    if (given.content.empty()) continue;
    Token token;
    token.id = given.id;
    token.content = given.content;
    token.normalized = given.normalized;
    token.lstrip = given.lstrip;
    token.rstrip = given.rstrip;
    token.single_word = given.single_word;
    if (given.special) specials.insert(given.content);
    // The normalized text of an id is not forgotten when a token that normalizing leaves alone
    // takes over.
    if (given.normalized && reference_ == model::Reference::hf_tokenizers) {
      const std::string content = normalize(given.content);
      if (content != given.content) normal[given.id] = content;
    }
    token.pattern = given.content;
    if (given.normalized && normal.count(given.id) != 0) token.pattern = normal[given.id];
    by_id[given.id] = token;
  }
  for (auto& [id, token] : by_id) {
    token.special = specials.count(token.content) != 0;
    if (token.pattern.empty())
      fails("cuts between all bytes: its normalizer leaves nothing of \"" + token.content + "\"");
    tokens_.push_back(token);
  }
}

std::vector<const NaiveAdded::Token*> NaiveAdded::longest_at(std::string_view text, std::size_t at,
                                                             bool pass) const {
  std::vector<const Token*> found;
  for (const Token& token : tokens_) {
    if (token.normalized != pass || token.pattern[0] != text[at]) continue;
    if (!text.substr(at).starts_with(token.pattern)) continue;
    if (!found.empty() && found[0]->pattern.size() > token.pattern.size()) continue;
    if (!found.empty() && found[0]->pattern.size() < token.pattern.size()) found.clear();
    found.push_back(&token);
  }
  return found;
}

// tiktoken: control tokens only, no flags; one that is not asked for is passed over by one byte.
std::vector<NaiveStretch> NaiveAdded::split_rank_file(std::string_view text, SpecialMode mode,
                                                      const std::vector<std::string>& list) const {
  std::vector<NaiveStretch> out;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size() && mode != SpecialMode::none;) {
    std::vector<const Token*> found;
    for (const Token& token : tokens_)
      if (text.substr(at).starts_with(token.content)) found.push_back(&token);
    if (found.size() > 1) fails("picks at random among control tokens that begin alike");
    if (found.empty() || (mode == SpecialMode::list && !in_list(list, found[0]->content))) {
      ++at;
      continue;
    }
    if (done < at) out.push_back({done, at, false, 0});
    done = at + found[0]->content.size();
    out.push_back({at, done, true, found[0]->id});
    at = done;
  }
  if (done < text.size()) out.push_back({done, text.size(), false, 0});
  return out;
}

std::vector<NaiveStretch> NaiveAdded::split(std::string_view text, bool normalized_pass,
                                            SpecialMode mode,
                                            const std::vector<std::string>& list) const {
  if (reference_ == model::Reference::sentencepiece) {
    if (mode != SpecialMode::file_default && mode != SpecialMode::none)
      fails("never takes control symbols from text");
    if (text.empty()) return {};
    return {{0, text.size(), false, 0}};
  }
  if (reference_ == model::Reference::tiktoken) {
    if (mode == SpecialMode::file_default) mode = SpecialMode::none;
    return split_rank_file(text, normalized_pass ? SpecialMode::none : mode, list);
  }
  const unicode::CodePointSet& word = unicode::rust::regex_word();
  const unicode::CodePointSet& space = unicode::rust::regex_space();
  std::vector<NaiveStretch> out;
  std::size_t done = 0;  // end of the last token given out; rstrip may set it beyond `at`
  for (std::size_t at = 0; at < text.size();) {
    const std::vector<const Token*> found = longest_at(text, at, normalized_pass);
    if (found.empty()) {
      ++at;
      continue;
    }
    if (found.size() > 1) fails("picks at random among added tokens with one text");
    const Token& token = *found[0];
    std::size_t begin = at;
    std::size_t end = at + token.pattern.size();
    at = end;  // the match is used up even when it does not count
    if (token.special &&
        (mode == SpecialMode::none || (mode == SpecialMode::list && !in_list(list, token.content))))
      continue;
    if (token.single_word) {
      if (begin > 0 && word.contains(at_in(text, before(text, begin)))) continue;
      if (end < text.size() && word.contains(at_in(text, end))) continue;
    }
    if (token.lstrip) {
      while (begin > 0 && space.contains(at_in(text, before(text, begin))))
        begin = before(text, begin);
      begin = std::max(begin, done);
    }
    while (token.rstrip && end < text.size() && space.contains(at_in(text, end)))
      end += unicode::decode(text.data() + end).length;
    if (done < begin) out.push_back({done, begin, false, 0});
    if (begin > end) fails("dies: a token lies in the white space taken by the one before");
    if (begin < end) out.push_back({begin, end, true, token.id});
    done = end;
  }
  if (done != text.size()) out.push_back({done, text.size(), false, 0});
  return out;
}

}  // namespace toktier::oracle
