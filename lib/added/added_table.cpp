#include "added/added_table.hpp"

#include "toktier/error.hpp"

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
  const bool engine_ids = spec.reference == model::Reference::hf_tokenizers;
  if (engine_ids && spec.vocab.size() > 0x7FFFFFFF) {
    throw Error(ErrorCode::unsupported, "more than 2147483647 tokens", spec.path + ": model.vocab");
  }
  auto next_id = static_cast<TokenId>(spec.vocab.size());
  std::unordered_map<TokenId, Entry> by_id;
  std::unordered_map<TokenId, bool>
      special_flag;  // as last given, which the set of contents need not equal
  for (std::size_t i = 0; i < spec.added_tokens.size(); ++i) {
    const model::AddedToken& token = spec.added_tokens[i];
    if (token.content.empty()) continue;
    const auto known = table.by_content_.find(token.content);
    TokenId id = token.id;
    if (engine_ids) {
      if (known != table.by_content_.end()) {
        const auto entry = by_id.find(known->second);
        if (entry != by_id.end() && same_token(entry->second, token, special_flag[known->second])) {
          continue;
        }
        id = known->second;
      } else {
        id = spec.vocab.find(token.content);
        if (id == model::kNoToken) id = next_id++;
      }
    }
    Entry entry;
    entry.id = id;
    entry.content = token.content;
    entry.text = token.content;
    entry.lstrip = token.lstrip;
    entry.rstrip = token.rstrip;
    entry.single_word = token.single_word;
    entry.normalized = token.normalized;
    entry.file_index = i;
    if (engine_ids && token.normalized) {
      if (normalize) entry.text = normalize(token.content);
      // The reference keeps the normalized text by id and does not forget it when a token that its
      // normalizer leaves alone takes over the id.
      const auto before = by_id.find(id);
      if (entry.text == token.content && before != by_id.end() &&
          before->second.text != before->second.content) {
        entry.text = before->second.text;
      }
    }
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
