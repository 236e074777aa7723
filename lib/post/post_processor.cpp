#include "post/post_processor.hpp"

#include "added/edge_rules.hpp"
#include "toktier/error.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::post {

namespace {

constexpr std::string_view kByteLevelBlank =
    "\xC4\xA0";  // U+0120, the blank of the GPT-2 byte alphabet

bool is_trail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

PostProcessor::Edges PostProcessor::edges_of(std::string_view text) {
  const unicode::CodePointSet& space = unicode::rust::white_space();
  Edges edges;
  std::size_t at = 0;
  while (at < text.size() &&
         (text.substr(at, 2) == kByteLevelBlank || added::char_at_in(text, at, space))) {
    ++edges.leading;
    at += unicode::sequence_length(static_cast<unsigned char>(text[at]));
  }
  std::size_t end = text.size();
  while (end > 0) {
    const std::size_t begin = end >= 2 ? end - 2 : 0;
    const bool blank = text.substr(begin, end - begin) == kByteLevelBlank;
    if (!blank && !added::char_before_in(text, end, space)) break;
    ++edges.trailing;
    --end;
    while (end > 0 && is_trail(text[end])) --end;
  }
  return edges;
}

PostProcessor PostProcessor::compile(const model::TokenizerSpec& spec,
                                     const added::AddedTable& added) {
  PostProcessor post;
  post.path_ = spec.path;
  post.plans_[0] = make_plan(spec.post_processors, false);
  post.plans_[1] = make_plan(spec.post_processors, true);
  post.reserved_ = reserved_tokens(spec.post_processors);
  post.truncation_ = spec.truncation;
  post.padding_ = spec.padding;
  for (const Plan& plan : post.plans_) {
    for (const PlanItem& item : plan.items) post.trims_ |= !item.trims.empty();
  }
  if (!post.trims_) return post;
  post.edges_.resize(spec.vocab.end_id());
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id) {
    if (spec.vocab.has(id)) post.edges_[id] = edges_of(spec.vocab[id]);
  }
  for (const added::Entry& entry : added.entries()) {
    if (entry.id >= post.edges_.size()) post.edges_.resize(std::size_t{entry.id} + 1);
    post.edges_[entry.id] = edges_of(entry.text);
  }
  return post;
}

bool PostProcessor::changes_nothing(const PostOptions& options) const {
  std::vector<TokenId> before, after;
  return frames(options, &before, &after) && before.empty() && after.empty();
}

bool PostProcessor::frames(const PostOptions& options, std::vector<TokenId>* before,
                           std::vector<TokenId>* after) const {
  const Plan& plan = plans_[options.add_special ? 1 : 0];
  if (!plan.refusal.empty() || plan.documents != 1) return false;
  if (options.limits && (truncation_ || padding_)) return false;
  before->clear();
  after->clear();
  std::vector<TokenId>* side = before;
  for (const PlanItem& item : plan.items) {
    if (item.is_document) {
      side = after;
    } else {
      side->push_back(item.id);
    }
  }
  return true;
}

std::size_t PostProcessor::truncate(bool add_special, std::vector<TokenId>& ids,
                                    std::vector<Span>* spans, std::size_t* offset) const {
  const model::Truncation& rule = *truncation_;
  std::size_t keep = rule.max_length;
  if (add_special) {
    if (keep < reserved_) return 0;
    keep -= reserved_;
  }
  if (ids.size() <= keep) return 0;
  if (keep > 0 && rule.strategy == model::Truncation::Strategy::only_second) {
    throw Error(ErrorCode::input, "truncation of only the second sequence, and there is only one",
                path_ + ": truncation.strategy");
  }
  if (keep > 0 && rule.stride >= keep) {
    throw Error(ErrorCode::input,
                "a stride of " + std::to_string(rule.stride) + " is not below the " +
                    std::to_string(keep) + " tokens that are left by truncation",
                path_ + ": truncation.stride");
  }
  const std::size_t cut = ids.size() - keep;
  if (rule.left) {
    // With nothing to keep the direction makes no difference.
    *offset = cut;
    ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(cut));
    if (spans != nullptr)
      spans->erase(spans->begin(), spans->begin() + static_cast<std::ptrdiff_t>(cut));
  } else {
    ids.resize(keep);
    if (spans != nullptr) spans->resize(keep);
  }
  return cut;
}

Span PostProcessor::trimmed(Span span, Edges edges, bool first, bool add_prefix_space,
                            std::string_view document) const {
  // The reference counts characters; the bytes of the document say how long each is.
  if (edges.leading > 0) {
    if ((first || span.begin == 0) && add_prefix_space && edges.leading == 1) edges.leading = 0;
    for (; edges.leading > 0 && span.begin < span.end; --edges.leading) {
      ++span.begin;
      while (span.begin < span.end && is_trail(document[span.begin])) ++span.begin;
    }
  }
  if (edges.trailing > 0) {
    std::uint32_t end = span.end;
    std::uint32_t steps = 0;
    for (; steps < edges.trailing && end > 0; ++steps) {
      --end;
      while (end > 0 && is_trail(document[end])) --end;
    }
    if (steps == edges.trailing) span.end = std::max(end, span.begin);
  }
  return span;
}

void PostProcessor::trim(std::span<const TokenText> texts, std::size_t offset,
                         const std::vector<Trim>& trims, std::string_view document,
                         const std::vector<TokenId>& ids, std::vector<Span>& spans) const {
  auto own = texts.begin();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    while (own != texts.end() && own->index < i + offset) ++own;
    Edges edges = ids[i] < edges_.size() ? edges_[ids[i]] : Edges{};
    if (own != texts.end() && own->index == i + offset) edges = edges_of(own->text);
    if (edges.leading == 0 && edges.trailing == 0) continue;
    for (const Trim& rule : trims) {
      spans[i] =
          trimmed(spans[i], edges, i == 0 && rule.document_first, rule.add_prefix_space, document);
    }
  }
}

std::size_t PostProcessor::pad(std::vector<TokenId>& ids, std::vector<Span>* spans) const {
  const model::Padding& rule = *padding_;
  std::size_t length = rule.fixed.value_or(ids.size());
  if (rule.pad_to_multiple_of > 0 && length % rule.pad_to_multiple_of > 0) {
    length += rule.pad_to_multiple_of - length % rule.pad_to_multiple_of;
  }
  if (ids.size() >= length) return 0;
  if (length > kMaxDocumentBytes) {
    throw Error(ErrorCode::input, "padding to " + std::to_string(length) + " tokens",
                path_ + ": padding");
  }
  const std::size_t count = length - ids.size();
  ids.insert(rule.left ? ids.begin() : ids.end(), count, rule.pad_id);
  if (spans != nullptr) spans->insert(rule.left ? spans->begin() : spans->end(), count, Span{});
  return count;
}

PostResult PostProcessor::run(std::string_view document, std::span<const TokenText> texts,
                              const PostOptions& options, std::vector<TokenId>& ids,
                              std::vector<Span>* spans) const {
  const Plan& plan = plans_[options.add_special ? 1 : 0];
  if (!plan.refusal.empty()) {
    throw Error(ErrorCode::unsupported, plan.refusal, path_ + ": post_processor");
  }
  PostResult result;
  std::size_t offset = 0;
  if (options.limits && truncation_)
    result.truncated = truncate(options.add_special, ids, spans, &offset);
  if (plan.items.size() == 1 && plan.documents == 1) {
    if (spans != nullptr && !plan.items[0].trims.empty()) {
      trim(texts, offset, plan.items[0].trims, document, ids, *spans);
    }
  } else {
    std::vector<TokenId> out;
    std::vector<Span> out_spans;
    out.reserve(ids.size() * plan.documents + plan.items.size());
    for (const PlanItem& item : plan.items) {
      if (!item.is_document) {
        out.push_back(item.id);
        out_spans.resize(spans != nullptr ? out.size() : 0);
        continue;
      }
      out.insert(out.end(), ids.begin(), ids.end());
      if (spans == nullptr) continue;
      std::vector<Span> copy = *spans;
      trim(texts, offset, item.trims, document, ids, copy);
      out_spans.insert(out_spans.end(), copy.begin(), copy.end());
    }
    ids.swap(out);
    if (spans != nullptr) spans->swap(out_spans);
  }
  if (options.limits && padding_) result.padded = pad(ids, spans);
  return result;
}

}  // namespace toktier::post
