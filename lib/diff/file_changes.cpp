#include "diff/file_changes.hpp"

#include "report/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace toktier::diff {
namespace {

constexpr std::size_t kNamed = 5;

std::string shown(std::string_view text) { return '"' + report::escape_preview(text, 40) + '"'; }

/// "12: "a", "b", ..." of the first few.
class Some {
 public:
  void add(const std::string& name) {
    if (++count_ <= kNamed) names_ += (count_ > 1 ? ", " : "") + name;
  }
  bool any() const { return count_ > 0; }
  std::string text(const char* what) const {
    return fmt::format("{} {}: {}{}", count_, what, names_, count_ > kNamed ? ", ..." : "");
  }

 private:
  std::size_t count_ = 0;
  std::string names_;
};

void vocabulary_changes(const model::Vocab& before, const model::Vocab& after,
                        std::vector<FileChange>& out) {
  Some gone, fresh, moved;
  for (TokenId id = 0; id < before.end_id(); ++id) {
    if (!before.has(id)) continue;
    const TokenId now = after.find(before[id]);
    if (now == model::kNoToken)
      gone.add(shown(before[id]));
    else if (now != before.find(before[id]))
      moved.add(fmt::format("{} {} -> {}", shown(before[id]), id, now));
  }
  for (TokenId id = 0; id < after.end_id(); ++id)
    if (after.has(id) && before.find(after[id]) == model::kNoToken) fresh.add(shown(after[id]));
  if (gone.any()) out.push_back({"vocabulary", gone.text("entries gone"), ""});
  if (fresh.any()) out.push_back({"vocabulary", "", fresh.text("new entries")});
  if (moved.any()) out.push_back({"vocabulary", "", moved.text("entries with another id")});
}

using Texts = std::pair<std::string, std::string>;

/// The merges of a list by their texts, with their places.
std::map<Texts, std::size_t> places_of(const model::TokenizerSpec& spec) {
  std::map<Texts, std::size_t> out;
  if (const auto* bpe = std::get_if<model::Bpe>(&spec.model))
    for (std::size_t i = 0; i < bpe->merges.size(); ++i)
      out[{std::string(spec.vocab[bpe->merges[i].left]),
           std::string(spec.vocab[bpe->merges[i].right])}] = i;
  return out;
}

std::string shown(const Texts& merge) { return shown(merge.first) + "+" + shown(merge.second); }

void merge_changes(const model::TokenizerSpec& before, const model::TokenizerSpec& after,
                   std::vector<FileChange>& out) {
  const auto old = places_of(before), now = places_of(after);
  Some gone, fresh, moved;
  std::vector<std::pair<std::size_t, const Texts*>> kept;  // old place, in the new order
  std::vector<std::pair<std::size_t, const Texts*>> in_order;
  for (const auto& [merge, place] : old)
    if (!now.contains(merge)) gone.add(shown(merge));
  for (const auto& [merge, place] : now) {
    if (!old.contains(merge))
      fresh.add(shown(merge));
    else
      in_order.emplace_back(place, &merge);
  }
  std::sort(in_order.begin(), in_order.end());
  for (const auto& [place, merge] : in_order) kept.emplace_back(old.at(*merge), merge);
  // Where the old places do not ascend, the order changed.
  for (std::size_t i = 1; i < kept.size(); ++i)
    if (kept[i].first < kept[i - 1].first) moved.add(shown(*kept[i].second));
  if (gone.any()) out.push_back({"merges", gone.text("gone"), ""});
  if (fresh.any()) out.push_back({"merges", "", fresh.text("new")});
  if (moved.any()) out.push_back({"merges", "", moved.text("in another order")});
}

template <class T>
std::size_t changed_values(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t count = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

void value_changes(const model::TokenizerSpec& before, const model::TokenizerSpec& after,
                   std::vector<FileChange>& out) {
  std::size_t changed = 0;
  if (const auto* a = std::get_if<model::Bpe>(&before.model),
      *b = std::get_if<model::Bpe>(&after.model);
      a != nullptr && b != nullptr)
    changed = changed_values(a->rank, b->rank) + changed_values(a->score, b->score);
  if (const auto* a = std::get_if<model::Unigram>(&before.model),
      *b = std::get_if<model::Unigram>(&after.model);
      a != nullptr && b != nullptr)
    changed = changed_values(a->score, b->score);
  if (changed > 0)
    out.push_back({"ranks or scores", "", fmt::format("{} ids have another", changed)});
}

std::string describe(const model::AddedToken& token) {
  std::string out = fmt::format("id {}", token.id);
  for (const auto& [flag, name] : {std::pair{token.special, "special"},
                                   {token.lstrip, "lstrip"},
                                   {token.rstrip, "rstrip"},
                                   {token.single_word, "single_word"},
                                   {token.normalized, "normalized"}})
    if (flag) out += std::string(" ") + name;
  return out;
}

void added_changes(const model::TokenizerSpec& before, const model::TokenizerSpec& after,
                   std::vector<FileChange>& out) {
  std::map<std::string, std::string> old, now;
  for (const auto& token : before.added_tokens) old[token.content] = describe(token);
  for (const auto& token : after.added_tokens) now[token.content] = describe(token);
  std::set<std::string> all;
  for (const auto& [content, what] : old) all.insert(content);
  for (const auto& [content, what] : now) all.insert(content);
  for (const std::string& content : all) {
    const auto a = old.find(content), b = now.find(content);
    const std::string x = a == old.end() ? "" : a->second, y = b == now.end() ? "" : b->second;
    if (x != y) out.push_back({"added token " + shown(content), x, y});
  }
}

}  // namespace

std::vector<FileChange> file_changes(const model::TokenizerSpec& before,
                                     const TokenizerInfo& before_info,
                                     const model::TokenizerSpec& after,
                                     const TokenizerInfo& after_info) {
  std::vector<FileChange> out;
  const auto row = [&](const std::string& what, const std::string& a, const std::string& b) {
    if (a != b) out.push_back({what, a, b});
  };
  row("kind", before_info.kind, after_info.kind);
  row("reference", before_info.reference, after_info.reference);
  row("pattern", before_info.pattern, after_info.pattern);
  std::map<std::string, std::string> old(before_info.fields.begin(), before_info.fields.end());
  std::map<std::string, std::string> now(after_info.fields.begin(), after_info.fields.end());
  for (const auto& [name, value] : before_info.fields) row(name, value, now[name]);
  for (const auto& [name, value] : after_info.fields)
    if (!old.contains(name)) row(name, "", value);
  vocabulary_changes(before.vocab, after.vocab, out);
  merge_changes(before, after, out);
  value_changes(before, after, out);
  added_changes(before, after, out);
  return out;
}

}  // namespace toktier::diff
