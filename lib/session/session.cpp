#include "toktier/session.hpp"

#include "encode/tokenizer_impl.hpp"
#include "session/document.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace toktier {

void Patch::apply(std::vector<TokenId>& sequence) const {
  const auto old_size = static_cast<std::ptrdiff_t>(sequence.size());
  const auto begin = sequence.begin() + static_cast<std::ptrdiff_t>(keep_tokens);
  const auto end = sequence.begin() + (old_size - static_cast<std::ptrdiff_t>(tail_tokens));
  const std::size_t overwritten = std::min(ids.size(), static_cast<std::size_t>(end - begin));
  const auto split = ids.begin() + static_cast<std::ptrdiff_t>(overwritten);
  const auto at = std::copy(ids.begin(), split, begin);
  if (split == ids.end())
    sequence.erase(at, end);
  else
    sequence.insert(at, split, ids.end());
}

struct Session::Impl {
  Impl(std::shared_ptr<const Tokenizer::Impl> t, std::shared_ptr<const added::SpecialFilter> filter)
      : tokenizer(std::move(t)), document(*tokenizer->pipeline, std::move(filter)) {}

  Patch patched(session::Change change);
  template <class Use>
  Patch with_scratch(encode::EncodeScratch* given, Use&& use) {
    if (given != nullptr) return patched(use(*given));
    const auto lease = tokenizer->pool.take();
    return patched(use(*lease));
  }

  std::shared_ptr<const Tokenizer::Impl> tokenizer;
  session::Document document;
  std::vector<TokenId> before, after;  // the post-processor's
  bool told = false;                   // a patch has been given out
};

// From the document's tokens to the caller's sequence.
Patch Session::Impl::patched(session::Change change) {
  Patch patch;
  patch.ids = std::move(change.ids);
  if (!told) {
    // Everything, and nothing was there before.
    told = true;
    patch.ids.insert(patch.ids.begin(), before.begin(), before.end());
    patch.ids.insert(patch.ids.end(), after.begin(), after.end());
    return patch;
  }
  patch.keep_tokens = before.size() + change.keep;
  const bool unchanged = patch.ids.empty() && change.keep + change.tail == document.rope().tokens();
  if (change.tail > 0 || unchanged)
    patch.tail_tokens = change.tail + after.size();
  else
    patch.ids.insert(patch.ids.end(), after.begin(), after.end());
  return patch;
}

namespace {

void check_text(std::string_view text) {
  const auto bad = unicode::find_invalid_utf8(text);
  if (!bad) return;
  throw Error(ErrorCode::input, fmt::format("the text is not UTF-8: byte 0x{:02X} at offset {}",
                                            static_cast<unsigned char>(text[*bad]), *bad));
}

void check_size(std::size_t bytes) {
  if (bytes <= kMaxDocumentBytes) return;
  throw Error(ErrorCode::input, fmt::format("a document of {} bytes; at most {} are supported",
                                            bytes, kMaxDocumentBytes));
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session::Session(const Tokenizer& tokenizer, SessionOptions options) {
  const encode::Pipeline& pipeline = *tokenizer.impl_->pipeline;
  auto filter = std::make_shared<const added::SpecialFilter>(
      pipeline.added().filter(options.special, options.special_list));
  impl_ = std::make_unique<Impl>(tokenizer.impl_, std::move(filter));
  post::PostOptions post;
  post.add_special = options.add_special;
  post.limits = false;
  if (!pipeline.post().frames(post, &impl_->before, &impl_->after)) {
    throw Error(ErrorCode::unsupported,
                "a session needs a post-processor that only puts tokens before and behind a "
                "document's",
                pipeline.spec().path);
  }
}

Patch Session::append(std::string_view text, Tokenizer::Scratch* scratch) {
  return edit(bytes(), bytes(), text, scratch);
}

Patch Session::edit(std::size_t begin, std::size_t end, std::string_view text,
                    Tokenizer::Scratch* scratch) {
  const session::Rope& rope = impl_->document.rope();
  if (begin > end || end > rope.bytes() || !rope.at_character(begin) || !rope.at_character(end)) {
    throw Error(ErrorCode::usage,
                fmt::format("bytes {}..{} are no whole characters of the text of {} bytes", begin,
                            end, rope.bytes()));
  }
  check_size(rope.bytes() - (end - begin) + text.size());
  check_text(text);
  return impl_->with_scratch(
      scratch ? scratch->impl_->scratch.get() : nullptr,
      [&](encode::EncodeScratch& s) { return impl_->document.replace(begin, end, text, s); });
}

Patch Session::update(std::string_view full, Tokenizer::Scratch* scratch) {
  const session::Rope& rope = impl_->document.rope();
  // Back to borders of characters. Behind a common prefix that ends at one in one text it does so
  // in the other, unless one of them ends there.
  std::size_t begin = rope.common_prefix(full);
  while (begin > 0 &&
         ((begin < full.size() && continues(full[begin])) || !rope.at_character(begin)))
    --begin;
  std::size_t same = rope.common_suffix(full, begin);
  while (same > 0 && continues(full[full.size() - same])) --same;
  return edit(begin, rope.bytes() - same, full.substr(begin, full.size() - same - begin), scratch);
}

Patch Session::rewind(std::size_t bytes, Tokenizer::Scratch* scratch) {
  return edit(std::min(bytes, this->bytes() + 1), this->bytes(), {}, scratch);
}

Session Session::fork() const { return Session(std::make_unique<Impl>(*impl_)); }

void Session::close() {
  impl_->document.clear();
  impl_->told = false;
}

std::size_t Session::bytes() const { return impl_->document.rope().bytes(); }

std::size_t Session::tokens() const {
  return impl_->before.size() + impl_->document.rope().tokens() + impl_->after.size();
}

std::string Session::text() const {
  std::string out;
  out.reserve(bytes());
  impl_->document.rope().append_text(0, bytes(), out);
  return out;
}

std::vector<TokenId> Session::snapshot() const {
  std::vector<TokenId> out;
  out.reserve(tokens());
  out = impl_->before;
  impl_->document.rope().append_ids(0, impl_->document.rope().tokens(), out);
  out.insert(out.end(), impl_->after.begin(), impl_->after.end());
  return out;
}

const SessionStatistics& Session::statistics() const { return impl_->document.statistics; }

std::string Session::refusal() const { return impl_->tokenizer->pipeline->seams().refusal(); }

std::size_t Session::memory() const { return sizeof(Impl) + impl_->document.rope().memory(); }

}  // namespace toktier
