#include "toktier/drift.hpp"

#include "encode/tokenizer_impl.hpp"
#include "session/canonical.hpp"
#include "session/document.hpp"
#include "session/drift_place.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace toktier {

namespace {

using encode::EncodeScratch;
using encode::Pipeline;

constexpr decode::DecodeOptions kLossy = [] {
  decode::DecodeOptions options;
  options.lossy_text = true;
  return options;
}();

std::string text_of(const Pipeline& pipeline, std::span<const TokenId> ids) {
  std::string text = pipeline.decoder().decode(ids, kLossy);
  if (unicode::find_invalid_utf8(text)) text = unicode::replace_invalid_utf8(text);
  if (text.size() > kMaxDocumentBytes)
    throw Error(ErrorCode::input,
                fmt::format("ids whose text has {} bytes; at most {} are supported", text.size(),
                            kMaxDocumentBytes));
  return text;
}

added::SpecialFilter filter_of(const Pipeline& pipeline, const DriftOptions& options) {
  SpecialMode mode = options.special;
  if (mode == SpecialMode::file_default)
    mode = pipeline.spec().kind == model::FileKind::sentencepiece ? SpecialMode::none
                                                                  : SpecialMode::all;
  return pipeline.added().filter(mode, options.special_list);
}

// The post-processor's tokens around a document's.
struct Frame {
  std::vector<TokenId> before, after;
};

Frame frame_of(const Pipeline& pipeline, const DriftOptions& options) {
  Frame frame;
  post::PostOptions post;
  post.add_special = options.add_special;
  post.limits = false;
  if (options.add_special && !pipeline.post().frames(post, &frame.before, &frame.after))
    throw Error(ErrorCode::unsupported,
                "ids can be compared only where the post-processor puts tokens before and behind a "
                "document's",
                pipeline.spec().path);
  return frame;
}

// The tokens of the document alone, as far as the frame is there.
std::span<const TokenId> unframed(std::span<const TokenId> ids, const Frame& frame) {
  const std::size_t around = frame.before.size() + frame.after.size();
  if (ids.size() < around || !std::equal(frame.before.begin(), frame.before.end(), ids.begin()))
    return ids;
  if (!std::equal(frame.after.rbegin(), frame.after.rend(), ids.rbegin())) return ids;
  return ids.subspan(frame.before.size(), ids.size() - around);
}

}  // namespace

bool is_canonical(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                  const DriftOptions& options) {
  return find_drift(tokenizer, ids, options).canonical;
}

Drift find_drift(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                 const DriftOptions& options) {
  const Tokenizer::Impl& impl = tokenizer.impl();
  const Pipeline& pipeline = *impl.pipeline;
  const Frame frame = frame_of(pipeline, options);
  const std::span<const TokenId> inner = unframed(ids, frame);
  const std::string text = text_of(pipeline, inner);
  const added::SpecialFilter filter = filter_of(pipeline, options);
  const auto lease = impl.pool.take();
  Drift drift;
  drift.tokens = drift.token = ids.size();
  drift.byte = text.size();
  if (options.by_neighbours &&
      inner.size() + frame.before.size() + frame.after.size() == ids.size() &&
      session::proves_canonical(pipeline, inner, text, filter, *lease))
    return drift;
  Encoding out;
  out.ids = frame.before;
  pipeline.run(text, filter, {}, *lease, out);
  out.ids.insert(out.ids.end(), frame.after.begin(), frame.after.end());
  drift = session::compare(ids, out.ids);
  if (drift.canonical) {
    drift.byte = text.size();
    return drift;
  }
  drift.byte =
      session::begin_in(pipeline, text, filter, {}, *lease, drift.token, frame.before.size());
  return drift;
}

struct DriftStream::Impl {
  Impl(std::shared_ptr<const Tokenizer::Impl> t, const DriftOptions& options)
      : tokenizer(std::move(t)),
        stream(tokenizer->pipeline->decoder(), kLossy),
        document(*tokenizer->pipeline, std::make_shared<const added::SpecialFilter>(
                                           filter_of(*tokenizer->pipeline, options))) {}

  // Text that has settled goes into the document; `agree` follows its ids.
  void grow(std::string_view text) {
    if (!text.empty()) {
      const std::size_t size = document.rope().bytes();
      if (size + text.size() > kMaxDocumentBytes)
        throw Error(ErrorCode::input,
                    fmt::format("ids whose text has more than {} bytes", kMaxDocumentBytes));
      const auto lease = tokenizer->pool.take();
      std::string repaired;
      if (unicode::find_invalid_utf8(text)) text = repaired = unicode::replace_invalid_utf8(text);
      const session::Change change = document.replace(size, size, text, *lease);
      const std::size_t before = agree;
      agree = std::min(agree, change.keep);
      follow();
      if (change.keep <= agree || agree != before) byte = document.begin_of(agree, *lease);
      document.seal();
    } else {
      follow();
    }
  }

  // As long as ids given and ids of the text are the same.
  void follow() {
    constexpr std::size_t kAtOnce = 64;
    while (true) {
      some.clear();
      const std::size_t end = std::min({agree + kAtOnce, given.size(), document.rope().tokens()});
      document.rope().append_ids(agree, end, some);
      std::size_t same = 0;
      while (same < some.size() && some[same] == given[agree + same]) ++same;
      agree += same;
      if (same < kAtOnce) return;
    }
  }

  Drift report(bool ended) const {
    Drift drift;
    drift.tokens = given.size();
    drift.token = agree;
    const std::size_t encoded = document.rope().tokens();
    const bool open = !ended && stream.held_bytes() > 0;
    drift.canonical = agree == encoded && (agree == given.size() || open);
    if (drift.canonical) {
      drift.token = given.size();
      drift.byte = document.rope().bytes();
      return drift;
    }
    drift.byte = agree == encoded ? document.rope().bytes() : byte;
    const auto from = given.begin() + static_cast<std::ptrdiff_t>(agree);
    drift.given.assign(
        from, from + static_cast<std::ptrdiff_t>(std::min(Drift::kShown, given.size() - agree)));
    document.rope().append_ids(agree, std::min(encoded, agree + Drift::kShown), drift.expected);
    return drift;
  }

  std::shared_ptr<const Tokenizer::Impl> tokenizer;
  decode::Stream stream;
  session::Document document;  // of the text that has settled
  std::vector<TokenId> given;
  std::vector<TokenId> some;
  std::size_t agree = 0;  // so many ids are the same
  std::size_t byte = 0;   // where token `agree` of the document begins
};

DriftStream::DriftStream(const Tokenizer& tokenizer, const DriftOptions& options) {
  if (options.add_special)
    throw Error(ErrorCode::usage,
                "a growing row of ids has no tokens of the post-processor behind it");
  impl_ = std::make_unique<Impl>(tokenizer.impl_, options);
}
DriftStream::DriftStream(DriftStream&&) noexcept = default;
DriftStream& DriftStream::operator=(DriftStream&&) noexcept = default;
DriftStream::~DriftStream() = default;

void DriftStream::push(TokenId id) { push(std::span(&id, 1)); }

void DriftStream::push(std::span<const TokenId> ids) {
  for (const TokenId id : ids)
    if (!impl_->tokenizer->pipeline->decoder().has(id))
      throw Error(ErrorCode::input, fmt::format("there is no token {}", id),
                  impl_->tokenizer->pipeline->spec().path);
  impl_->given.insert(impl_->given.end(), ids.begin(), ids.end());
  impl_->grow(impl_->stream.push(ids));
}

Drift DriftStream::so_far() const { return impl_->report(false); }

Drift DriftStream::finish() {
  impl_->grow(impl_->stream.finish());
  return impl_->report(true);
}

}  // namespace toktier
