#include "session/canonical.hpp"

#include <algorithm>
#include <vector>

namespace toktier::session {

namespace {

using added::Segment;

// A walk over ids and text side by side; `at` and `next` are in step.
struct Walk {
  const encode::Pipeline& pipeline;
  std::span<const TokenId> ids;
  std::string_view text;
  encode::EncodeScratch& scratch;
  std::size_t at = 0;    // byte
  std::size_t next = 0;  // id

  std::string_view bytes_of(TokenId id) const {
    const added::Entry* entry = pipeline.added().table().find(id);
    return entry != nullptr ? std::string_view(entry->text) : pipeline.model().token_bytes(id);
  }

  bool literal(const Segment& s) {
    // With the white space that it takes, a literal is more than its token's text.
    if (next == ids.size() || ids[next] != s.id || bytes_of(s.id).size() != s.end - s.begin)
      return false;
    ++next;
    at += s.end - s.begin;
    return true;
  }

  bool piece(std::string_view bytes) {
    const std::size_t first = next;
    std::size_t done = 0;
    while (done < bytes.size()) {
      if (next == ids.size()) return false;
      const TokenId id = ids[next];
      if (pipeline.added().table().find(id) != nullptr) return false;
      const std::string_view own = pipeline.model().token_bytes(id);
      if (own.empty() || bytes.substr(done, own.size()) != own) return false;
      done += own.size();
      ++next;
    }
    at += bytes.size();
    return pipeline.model().is_encoding(bytes, ids.subspan(first, next - first), *scratch.model);
  }

  bool plain(std::string_view segment) {
    if (segment.empty()) return true;
    const auto& chain = pipeline.pre_tokenizer();
    if (chain.keeps_whole(segment)) return piece(segment);
    constexpr std::size_t kBatch = 256;
    std::uint32_t ends[kBatch];
    std::uint32_t done = 0;
    for (std::uint32_t begin = 0; begin < segment.size();) {
      const std::size_t n = chain.scan(segment, &done, ends, kBatch);
      if (n == 0) return false;
      for (std::size_t i = 0; i < n; ++i) {
        if (!piece(segment.substr(begin, ends[i] - begin))) return false;
        begin = ends[i];
      }
    }
    return true;
  }
};

}  // namespace

bool can_prove_canonical(const encode::Pipeline& pipeline) {
  return pipeline.tiles() && pipeline.model().checks_tokens();
}

bool proves_canonical(const encode::Pipeline& pipeline, std::span<const TokenId> ids,
                      std::string_view text, const added::SpecialFilter& filter,
                      encode::EncodeScratch& scratch) {
  if (!can_prove_canonical(pipeline)) return false;
  Walk walk{pipeline, ids, text, scratch};
  const added::AddedTokens& added = pipeline.added();
  std::vector<Segment> raw, normalized;
  const Segment all{0, static_cast<std::uint32_t>(text.size()), model::kNoToken};
  if (added.splits_raw())
    added.split_raw(text, filter, raw);
  else if (!text.empty())
    raw.push_back(all);
  for (const Segment& s : raw) {
    if (s.begin != walk.at) return false;  // segments may overlap
    if (s.is_literal()) {
      if (!walk.literal(s)) return false;
      continue;
    }
    const std::string_view stretch = text.substr(s.begin, s.end - s.begin);
    if (!added.splits_normalized()) {
      if (!walk.plain(stretch)) return false;
      continue;
    }
    // The normalizer does nothing here.
    normalized.clear();
    added.split_normalized(stretch, filter, normalized);
    for (const Segment& n : normalized) {
      if (s.begin + n.begin != walk.at) return false;
      if (!(n.is_literal() ? walk.literal(n)
                           : walk.plain(stretch.substr(n.begin, n.end - n.begin))))
        return false;
    }
  }
  return walk.next == ids.size() && walk.at == text.size();
}

}  // namespace toktier::session
