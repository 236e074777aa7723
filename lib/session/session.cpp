#include "toktier/session.hpp"

#include "encode/tokenizer_impl.hpp"
#include "session/row.hpp"
#include "session/state.hpp"

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
  Impl(std::shared_ptr<const Tokenizer::Impl> t, std::shared_ptr<const added::SpecialFilter> filter,
       session::Row::Rules r)
      : tokenizer(std::move(t)), row(*tokenizer->pipeline, std::move(filter), r), rules(r) {}

  Patch patched(session::Change change);
  std::shared_ptr<const Tokenizer::Impl> tokenizer;
  session::Row row;
  session::Row::Rules rules;
  SessionOptions options;              // as given
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
  const bool unchanged = patch.ids.empty() && change.keep + change.tail == row.tokens();
  if (change.tail > 0 || unchanged)
    patch.tail_tokens = change.tail + after.size();
  else
    patch.ids.insert(patch.ids.end(), after.begin(), after.end());
  return patch;
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session::Session(const Tokenizer& tokenizer, SessionOptions options) {
  const SessionOptions as_given = options;
  const encode::Pipeline& pipeline = *tokenizer.impl_->pipeline;
  const bool model_file = pipeline.spec().kind == model::FileKind::sentencepiece;
  if (options.trust && options.special == SpecialMode::file_default && !model_file)
    options.special = SpecialMode::all;  // as encode_parts()
  auto filter = std::make_shared<const added::SpecialFilter>(
      pipeline.added().filter(options.special, options.special_list));
  impl_ = std::make_unique<Impl>(tokenizer.impl_, std::move(filter),
                                 session::Row::Rules{options.keep_text, options.trust});
  impl_->options = as_given;
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

// Runs `use(row, scratch)` and makes a patch of what it returns.
template <class Use>
Patch Session::change(Tokenizer::Scratch* scratch, Use&& use) {
  encode::EncodeScratch* given = scratch ? scratch->impl_->scratch.get() : nullptr;
  if (given != nullptr) return impl_->patched(use(impl_->row, *given));
  const auto lease = impl_->tokenizer->pool.take();
  return impl_->patched(use(impl_->row, *lease));
}

Patch Session::append(std::string_view text, Tokenizer::Scratch* scratch) {
  return change(scratch, [&](session::Row& row, encode::EncodeScratch& s) {
    return row.append(text, true, s);
  });
}

Patch Session::append_untrusted(std::string_view text, Tokenizer::Scratch* scratch) {
  if (!impl_->rules.trust)
    throw Error(ErrorCode::usage, "untrusted text in a session made without SessionOptions::trust");
  return change(scratch, [&](session::Row& row, encode::EncodeScratch& s) {
    return row.append(text, false, s);
  });
}

Patch Session::append_sampled(std::span<const TokenId> ids) {
  return impl_->patched(impl_->row.append_sampled(ids));
}

Patch Session::edit(std::size_t begin, std::size_t end, std::string_view text,
                    Tokenizer::Scratch* scratch) {
  return change(scratch, [&](session::Row& row, encode::EncodeScratch& s) {
    return row.edit(begin, end, text, std::nullopt, s);
  });
}

Patch Session::edit(std::size_t begin, std::size_t end, const Part& part,
                    Tokenizer::Scratch* scratch) {
  if (!part.trusted && !impl_->rules.trust)
    throw Error(ErrorCode::usage, "untrusted text in a session made without SessionOptions::trust");
  return change(scratch, [&](session::Row& row, encode::EncodeScratch& s) {
    return row.edit(begin, end, part.text, part.trusted, s);
  });
}

Patch Session::update(std::string_view full, Tokenizer::Scratch* scratch) {
  return change(scratch,
                [&](session::Row& row, encode::EncodeScratch& s) { return row.update(full, s); });
}

Patch Session::rewind(std::size_t bytes, Tokenizer::Scratch* scratch, std::string_view before) {
  return change(scratch, [&](session::Row& row, encode::EncodeScratch& s) {
    return row.rewind(bytes, s, before);
  });
}

std::size_t Session::rewind_needs(std::size_t bytes) const { return impl_->row.text_needed(bytes); }

void Session::begin_part(std::uint32_t label) { impl_->row.begin_part(label); }

std::vector<PartRange> Session::part_ranges() const {
  const auto lease = impl_->tokenizer->pool.take();
  std::vector<PartRange> ranges = impl_->row.part_ranges(*lease);
  for (PartRange& range : ranges) {
    range.first += impl_->before.size();
    range.last += impl_->before.size();
  }
  return ranges;
}

Drift Session::drift() const {
  if (!impl_->rules.keep_text)
    throw Error(ErrorCode::usage, "the text of a session made without SessionOptions::keep_text");
  const auto lease = impl_->tokenizer->pool.take();
  Drift drift = impl_->row.drift(*lease);
  drift.token += impl_->before.size();
  drift.tokens = tokens();
  if (drift.canonical) drift.token = drift.tokens;
  return drift;
}

Session Session::fork() const {
  impl_->row.settle();
  return Session(std::make_unique<Impl>(*impl_));
}

void Session::close() {
  impl_->row.clear();
  impl_->told = false;
}

std::size_t Session::bytes() const { return impl_->row.bytes(); }

std::size_t Session::tokens() const {
  return impl_->before.size() + impl_->row.tokens() + impl_->after.size();
}

std::string Session::text() const {
  if (!impl_->rules.keep_text)
    throw Error(ErrorCode::usage, "the text of a session made without SessionOptions::keep_text");
  std::string out;
  out.reserve(bytes());
  impl_->row.append_text(out);
  return out;
}

std::vector<TokenId> Session::snapshot() const {
  std::vector<TokenId> out;
  out.reserve(tokens());
  out = impl_->before;
  impl_->row.append_ids(out);
  out.insert(out.end(), impl_->after.begin(), impl_->after.end());
  return out;
}

const SessionStatistics& Session::statistics() const { return impl_->row.statistics; }

std::string Session::refusal() const { return impl_->tokenizer->pipeline->seams().refusal(); }

std::size_t Session::memory() const { return sizeof(Impl) + impl_->row.memory(); }

namespace session {

State StateAccess::state(const Session& session) { return session.impl_->row.state(); }

const SessionOptions& StateAccess::options(const Session& session) {
  return session.impl_->options;
}

const encode::Pipeline& StateAccess::pipeline(const Session& session) {
  return *session.impl_->tokenizer->pipeline;
}

const TokenizerInfo& StateAccess::info(const Session& session) {
  return session.impl_->tokenizer->info;
}

Session StateAccess::session(const Tokenizer& tokenizer, const SessionOptions& options,
                             const State& state) {
  Session made(tokenizer, options);
  made.impl_->row.restore(state);
  made.impl_->told = true;
  return made;
}

}  // namespace session
}  // namespace toktier
