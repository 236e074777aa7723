#include "added/added_tokens.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <unordered_map>

namespace toktier::added {

namespace {

bool words_and_spaces(std::string_view content, const EdgeClasses& edges) {
  for (std::size_t at = 0; at < content.size();) {
    if (!char_at_in(content, at, *edges.word) && !char_at_in(content, at, *edges.space))
      return false;
    at += unicode::sequence_length(static_cast<unsigned char>(content[at]));
  }
  return true;
}

Segment segment(std::size_t begin, std::size_t end, TokenId id) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), id};
}

/// Answers "does [begin, end) overlap an untrusted range" for begins that never decrease.
class UntrustedCursor {
 public:
  explicit UntrustedCursor(std::span<const Span> ranges) : ranges_(ranges) {}
  bool overlaps(std::size_t begin, std::size_t end) {
    while (at_ < ranges_.size() && ranges_[at_].end <= begin) ++at_;
    return at_ < ranges_.size() && ranges_[at_].begin < end;
  }

 private:
  std::span<const Span> ranges_;
  std::size_t at_ = 0;
};

/// End of the white-space run at a position, remembering the last run so that many literals inside
/// one run cost one scan.
class SpaceRun {
 public:
  SpaceRun(std::string_view text, const unicode::CodePointSet& space)
      : text_(text), space_(space) {}
  std::size_t end(std::size_t at) {
    if (at < begin_ || at > end_) {
      begin_ = at;
      end_ = run_end(text_, at, space_);
    }
    return end_;
  }

 private:
  std::string_view text_;
  const unicode::CodePointSet& space_;
  std::size_t begin_ = 1;
  std::size_t end_ = 0;
};

}  // namespace

void AddedTokens::add_pass(bool normalized, LiteralTrie& trie, Reach& reach) {
  std::unordered_map<std::string_view, std::uint32_t> seen;
  std::vector<LiteralTrie::Literal> literals;
  const std::vector<Entry>& entries = table_.entries();
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (entry.normalized != normalized) continue;
    if (entry.pattern.empty()) {
      throw Error(ErrorCode::unsupported,
                  "the normalizer leaves nothing of the added token \"" + entry.content + "\"",
                  path_ + ": added_tokens[" + std::to_string(entry.file_index) + "].content");
    }
    const auto [place, fresh] = seen.emplace(entry.pattern, i);
    if (!fresh) {
      rules_[place->second].ambiguous = true;
      continue;
    }
    literals.push_back({entry.pattern, i});
    reach.longest = std::max(reach.longest, entry.pattern.size());
    reach.lstrip |= entry.lstrip;
    reach.rstrip |= entry.rstrip;
    reach.single_word |= entry.single_word;
  }
  trie.build(std::move(literals));
}

AddedTokens AddedTokens::compile(const model::TokenizerSpec& spec,
                                 const NormalizeFunction& normalize, const EdgeClasses& edges) {
  AddedTokens tokens;
  tokens.path_ = spec.path;
  tokens.edges_ = edges;
  tokens.rank_file_ = spec.reference == model::Reference::tiktoken;
  tokens.model_file_ = spec.reference == model::Reference::sentencepiece;
  tokens.specials_by_default_ = spec.specials_by_default;
  tokens.table_ = AddedTable::build(spec, normalize);
  if (tokens.model_file_) return tokens;
  for (const Entry& entry : tokens.table_.entries()) {
    Rule rule;
    rule.id = entry.id;
    // Rank files know no flags: every added token there is special and matched as it stands.
    rule.lstrip = entry.lstrip && !tokens.rank_file_;
    rule.rstrip = entry.rstrip && !tokens.rank_file_;
    rule.single_word = entry.single_word && !tokens.rank_file_;
    rule.control = tokens.rank_file_ || entry.special || !words_and_spaces(entry.content, edges);
    tokens.rules_.push_back(rule);
  }
  tokens.add_pass(false, tokens.raw_, tokens.raw_reach_);
  tokens.add_pass(true, tokens.normalized_, tokens.normalized_reach_);
  return tokens;
}

SpecialFilter AddedTokens::filter(SpecialMode mode, std::span<const std::string> list) const {
  SpecialFilter filter;
  if (mode == SpecialMode::file_default) {
    mode = specials_by_default_ && !model_file_ ? SpecialMode::all : SpecialMode::none;
  }
  if (model_file_ && mode != SpecialMode::none) {
    throw Error(ErrorCode::unsupported,
                "the SentencePiece engine never takes control symbols from text", path_);
  }
  if (mode == SpecialMode::all) return filter;
  const std::vector<Entry>& entries = table_.entries();
  filter.nothing_ = rank_file_ && mode == SpecialMode::none;
  filter.skip_.assign(entries.size(), false);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    filter.skip_[i] = rank_file_ || entries[i].special;
  }
  if (mode == SpecialMode::none) return filter;
  for (const std::string& name : list) {
    if (table_.id_of(name) == model::kNoToken) {
      throw Error(ErrorCode::usage, "\"" + name + "\" is not an added token of this file", path_);
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].content == name) filter.skip_[i] = false;
    }
  }
  return filter;
}

void AddedTokens::split_raw(std::string_view text, const SpecialFilter& filter,
                            std::vector<Segment>& out, const Untrusted& untrusted) const {
  split(raw_, text, filter, out, untrusted);
}

void AddedTokens::split_normalized(std::string_view text, const SpecialFilter& filter,
                                   std::vector<Segment>& out, const Untrusted& untrusted) const {
  split(normalized_, text, filter, out, untrusted);
}

void AddedTokens::split(const LiteralTrie& trie, std::string_view text, const SpecialFilter& filter,
                        std::vector<Segment>& out, const Untrusted& untrusted) const {
  const std::size_t size = text.size();
  if (size == 0) return;
  if (size > kMaxDocumentBytes)
    throw Error(ErrorCode::input, "a text of more than 2147483647 bytes");
  if (trie.empty() || filter.nothing_) {
    out.push_back(segment(0, size, model::kNoToken));
    return;
  }
  UntrustedCursor cursor(untrusted.ranges);
  SpaceRun spaces(text, *edges_.space);
  std::size_t done = 0;  // end of the last segment given out
  std::size_t at = 0;
  while ((at = trie.next_candidate(text, at)) < size) {
    std::size_t length = 0;
    std::uint32_t entry = LiteralTrie::kNone;
    bool refused = false;
    unsigned matches = 0;
    trie.walk(text, at, [&](std::size_t n, std::uint32_t value) {
      if (!untrusted.ranges.empty() && rules_[value].control && cursor.overlaps(at, at + n)) {
        refused = true;
        return;
      }
      ++matches;
      length = n;
      entry = value;
    });
    if (entry == LiteralTrie::kNone) {
      if (refused && untrusted.neutralised != nullptr) ++*untrusted.neutralised;
      ++at;
      continue;
    }
    const Rule& rule = rules_[entry];
    if (rule.ambiguous || (rank_file_ && matches > 1)) {
      throw Error(ErrorCode::unsupported,
                  "the reference picks at random among added tokens that match \"" +
                      std::string(text.substr(at, length)) + "\"",
                  path_);
    }
    if (filter.skips(entry)) {
      at += rank_file_ ? 1 : length;
      continue;
    }
    std::size_t begin = at;
    std::size_t end = at + length;
    at = end;
    if (rule.single_word &&
        (char_before_in(text, begin, *edges_.word) || char_at_in(text, end, *edges_.word))) {
      continue;
    }
    if (rule.lstrip) {
      begin = begin <= done ? done : run_begin(text, begin, done, *edges_.space);
    }
    if (rule.rstrip) end = spaces.end(end);
    if (done < begin) out.push_back(segment(done, begin, model::kNoToken));
    if (begin > end) {
      throw Error(ErrorCode::unsupported,
                  "the reference fails here: the added token \"" + table_.entries()[entry].content +
                      "\" lies in white space taken by the token before it",
                  path_);
    }
    if (begin < end) out.push_back(segment(begin, end, rule.id));
    done = end;
  }
  if (done != size) out.push_back(segment(done, size, model::kNoToken));
}

bool AddedTokens::is_control(TokenId id) const {
  const Entry* entry = table_.find(id);
  if (entry == nullptr) return false;
  if (model_file_) return entry->special;
  return rules_[static_cast<std::size_t>(entry - table_.entries().data())].control;
}

std::vector<Span> untrusted_in(const unicode::AlignedText& text,
                               std::span<const Span> document_ranges) {
  std::vector<Span> found;
  const auto size = static_cast<std::uint32_t>(text.text().size());
  if (document_ranges.empty()) return found;
  if (text.identity()) {
    for (const Span& range : document_ranges) {
      const std::uint32_t begin = std::max(range.begin, text.base());
      const std::uint32_t end = std::min<std::uint32_t>(range.end, text.base() + size);
      if (begin < end) found.push_back({begin - text.base(), end - text.base()});
    }
    return found;
  }
  const auto touches = [&](Span source) {
    const auto after =
        std::partition_point(document_ranges.begin(), document_ranges.end(),
                             [&](const Span& range) { return range.end <= source.begin; });
    // An inserted byte stands for an empty range; it belongs to the range it lies in or begins.
    return after != document_ranges.end() && after->begin < std::max(source.end, source.begin + 1U);
  };
  for (std::uint32_t at = 0; at < size; ++at) {
    if (!touches(text.source(at))) continue;
    if (!found.empty() && found.back().end == at) {
      ++found.back().end;
    } else {
      found.push_back({at, at + 1});
    }
  }
  return found;
}

}  // namespace toktier::added
