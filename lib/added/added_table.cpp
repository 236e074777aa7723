#include "added/added_table.hpp"

#include <algorithm>

namespace toktier::added {

namespace {

bool same_token(const Entry& known, const model::AddedToken& token, bool special_flag) {
  return known.content == token.content && known.lstrip == token.lstrip &&
         known.rstrip == token.rstrip && known.single_word == token.single_word &&
         known.normalized == token.normalized && special_flag == token.special;
}

}  // namespace

AddedTable AddedTable::build(const model::TokenizerSpec& spec, const NormalizeFunction& normalize) {
  AddedTable table;
  const bool normalizes = spec.reference == model::Reference::hf_tokenizers;
  std::unordered_map<TokenId, Entry> by_id;
  std::unordered_map<TokenId, bool>
      special_flag;  // as last given, which the set of contents need not equal
  // The reference keeps normalized contents by id, and does not forget one when a token that its
  // normalizer leaves alone takes over the id: decoding and, if that token is normalized, searching
  // then use the older text.
  std::unordered_map<TokenId, std::string> kept_normal;
  for (std::size_t i = 0; i < spec.added_tokens.size(); ++i) {
    const model::AddedToken& token = spec.added_tokens[i];
    if (token.content.empty()) continue;
    const TokenId id = token.id;
    const auto known = by_id.find(id);
    if (known != by_id.end() && same_token(known->second, token, special_flag[id])) continue;
    Entry entry;
    entry.id = id;
    entry.content = token.content;
    entry.lstrip = token.lstrip;
    entry.rstrip = token.rstrip;
    entry.single_word = token.single_word;
    entry.normalized = token.normalized;
    entry.file_index = i;
    if (normalizes && token.normalized && normalize) {
      std::string normal = normalize(token.content);
      if (normal != token.content) kept_normal[id] = std::move(normal);
    }
    const auto kept = kept_normal.find(id);
    entry.text = kept == kept_normal.end() ? token.content : kept->second;
    entry.pattern = token.normalized ? entry.text : token.content;
    if (token.special) table.special_.insert(token.content);
    special_flag[id] = token.special;
    table.by_content_[token.content] = id;
    by_id[id] = std::move(entry);
  }
  table.entries_.reserve(by_id.size());
  for (auto& [id, entry] : by_id) {
    entry.special = table.special_.count(entry.content) != 0;
    table.entries_.push_back(std::move(entry));
  }
  std::sort(table.entries_.begin(), table.entries_.end(),
            [](const Entry& a, const Entry& b) { return a.id < b.id; });
  return table;
}

const Entry* AddedTable::find(TokenId id) const {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), id,
                       [](const Entry& entry, TokenId value) { return entry.id < value; });
  return at != entries_.end() && at->id == id ? &*at : nullptr;
}

TokenId AddedTable::id_of(std::string_view content) const {
  const auto at = by_content_.find(std::string(content));
  return at == by_content_.end() ? model::kNoToken : at->second;
}

bool AddedTable::is_special_text(std::string_view text) const {
  return special_.count(std::string(text)) != 0;
}

}  // namespace toktier::added
