#include "toktier/tokenizer.hpp"

#include "encode/tokenizer_impl.hpp"
#include "model/embedded.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace toktier {

using encode::EncodeScratch;
using encode::EncodeWants;
using encode::Pipeline;

namespace {

// The document as the stages may read it: checked, repaired, or raw from some byte on.
struct Document {
  std::string_view text;
  std::optional<std::size_t> raw_from;  // first ill-formed byte, when such bytes are wanted
};

Document admit(std::string_view text, InvalidUtf8 policy, EncodeScratch& scratch) {
  if (text.size() > kMaxDocumentBytes) {
    throw Error(ErrorCode::input, fmt::format("a document of {} bytes; at most {} are supported",
                                              text.size(), kMaxDocumentBytes));
  }
  const std::optional<std::size_t> bad = unicode::find_invalid_utf8(text);
  if (!bad) return {text, std::nullopt};
  switch (policy) {
    case InvalidUtf8::raw:
      return {text, bad};
    case InvalidUtf8::replace:
      scratch.replaced = unicode::replace_invalid_utf8(text);
      if (scratch.replaced.size() > kMaxDocumentBytes)
        throw Error(ErrorCode::input,
                    "the document is too long once its ill-formed bytes are replaced");
      return {scratch.replaced, std::nullopt};
    case InvalidUtf8::error:
      break;
  }
  throw Error(ErrorCode::input, fmt::format("the text is not UTF-8: byte 0x{:02X} at offset {}",
                                            static_cast<unsigned char>(text[*bad]), *bad));
}

// Ids before post-processing. In raw bytes the reference recognises no control tokens, so asking
// for them is refused rather than ignored.
std::size_t run(const Pipeline& pipeline, const Document& document, SpecialMode mode,
                std::span<const std::string> list, const EncodeWants& wants, EncodeScratch& scratch,
                Encoding& out) {
  if (!document.raw_from)
    return pipeline.run(document.text, pipeline.added().filter(mode, list), wants, scratch, out);
  if (mode == SpecialMode::all || mode == SpecialMode::list) {
    throw Error(ErrorCode::unsupported,
                "raw bytes with control tokens: the reference recognises none in them",
                pipeline.spec().path);
  }
  return pipeline.run_raw(document.text, *document.raw_from, wants, scratch, out);
}

void finish(const Pipeline& pipeline, std::string_view document, const EncodeOptions& options,
            EncodeScratch& scratch, Encoding& out) {
  post::PostOptions post;
  post.add_special = options.add_special;
  post.limits = options.truncate;
  if (!options.want_spans && pipeline.post().changes_nothing(post)) return;
  std::stable_sort(scratch.odd_texts.begin(), scratch.odd_texts.end(),
                   [](const auto& a, const auto& b) { return a.index < b.index; });
  scratch.token_texts.clear();
  for (const EncodeScratch::OddText& odd : scratch.odd_texts)
    scratch.token_texts.push_back({odd.index, odd.text});
  const post::PostResult result = pipeline.post().run(document, scratch.token_texts, post, out.ids,
                                                      options.want_spans ? &out.spans : nullptr);
  out.truncated = result.truncated;
  out.padded = result.padded;
}

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

namespace {

// An option that the file has no use for is a mistake, not a wish.
model::TokenizerSpec checked(model::TokenizerSpec spec, const LoadOptions& options) {
  if (!options.encoding.empty() && spec.kind != model::FileKind::tiktoken)
    throw Error(ErrorCode::usage,
                fmt::format("encoding \"{}\" is a choice for rank files only", options.encoding),
                spec.path);
  if (options.lowercase && spec.kind != model::FileKind::wordpiece_vocab)
    throw Error(ErrorCode::usage, "lower-casing is a choice for vocab.txt only", spec.path);
  return spec;
}

// The stages know their fields, not the file.
auto compiled(model::TokenizerSpec spec) {
  const std::string path = spec.path;
  try {
    return Pipeline::compile(std::move(spec));
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(path)) throw;
    throw Error(error.code(), error.what(), path);
  }
}

}  // namespace

Tokenizer Tokenizer::load(const std::string& path_or_name, const LoadOptions& options) {
  if (path_or_name == "embedded")
    return load_bytes(model::embedded_gpt2(), "embedded", {}, options);
  const model::LoadOptions open{options.lowercase, options.encoding};
  return Tokenizer(
      std::make_shared<const Impl>(compiled(checked(model::load(path_or_name, open), options))));
}

Tokenizer Tokenizer::load_bytes(std::string_view bytes, const std::string& shown_path,
                                std::string_view side, const LoadOptions& options) {
  const model::LoadOptions open{options.lowercase, options.encoding};
  return Tokenizer(std::make_shared<const Impl>(
      compiled(checked(model::load_bytes(bytes, shown_path, side, open), options))));
}

const TokenizerInfo& Tokenizer::info() const { return impl_->info; }

Tokenizer::Scratch::Scratch(const Tokenizer& tokenizer, std::size_t cache_bytes)
    : impl_(std::make_unique<Impl>()) {
  impl_->scratch = tokenizer.impl_->pipeline->scratch(cache_bytes);
}
Tokenizer::Scratch::Scratch(Scratch&&) noexcept = default;
Tokenizer::Scratch& Tokenizer::Scratch::operator=(Scratch&&) noexcept = default;
Tokenizer::Scratch::~Scratch() = default;
std::size_t Tokenizer::Scratch::cache_bytes() const { return impl_->scratch->model->cache_bytes(); }

void Tokenizer::encode(std::string_view text, const EncodeOptions& options, Scratch& scratch,
                       Encoding& out) const {
  const Pipeline& pipeline = *impl_->pipeline;
  EncodeScratch& s = *scratch.impl_->scratch;
  out.clear();
  const Document document = admit(text, options.invalid, s);
  EncodeWants wants;
  wants.spans = options.want_spans;
  wants.pieces = options.want_pieces;
  run(pipeline, document, options.special, options.special_list, wants, s, out);
  finish(pipeline, document.text, options, s, out);
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  const auto lease = impl_->pool.take();
  const Pipeline& pipeline = *impl_->pipeline;
  Encoding out;
  const Document document = admit(text, options.invalid, *lease);
  EncodeWants wants;
  wants.spans = options.want_spans;
  wants.pieces = options.want_pieces;
  run(pipeline, document, options.special, options.special_list, wants, *lease, out);
  finish(pipeline, document.text, options, *lease, out);
  return out;
}

Encoding Tokenizer::encode_parts(std::span<const Part> parts, const EncodeOptions& options,
                                 std::size_t* neutralised) const {
  std::string joined;
  std::vector<Span> untrusted;
  for (const Part& part : parts) {
    if (joined.size() + part.text.size() > kMaxDocumentBytes)
      throw Error(ErrorCode::input,
                  fmt::format("parts of more than {} bytes together", kMaxDocumentBytes));
    const auto begin = static_cast<std::uint32_t>(joined.size());
    joined += part.text;
    const auto end = static_cast<std::uint32_t>(joined.size());
    if (part.trusted || begin == end) continue;
    if (!untrusted.empty() && untrusted.back().end == begin)
      untrusted.back().end = end;
    else
      untrusted.push_back({begin, end});
  }
  if (options.invalid != InvalidUtf8::error)
    throw Error(ErrorCode::usage,
                "parts must be UTF-8: repairs would move the borders between them");
  const auto lease = impl_->pool.take();
  const Pipeline& pipeline = *impl_->pipeline;
  Encoding out;
  const Document document = admit(joined, options.invalid, *lease);
  // The caller speaks of trust, so the trusted parts' control tokens count even where a plain call
  // ignores them.
  const bool model_file = pipeline.spec().kind == model::FileKind::sentencepiece;
  const SpecialMode mode = options.special == SpecialMode::file_default && !model_file
                               ? SpecialMode::all
                               : options.special;
  std::size_t kept_as_text = 0;
  EncodeWants wants;
  wants.spans = options.want_spans;
  wants.pieces = options.want_pieces;
  wants.untrusted = {untrusted, &kept_as_text};
  run(pipeline, document, mode, options.special_list, wants, *lease, out);
  finish(pipeline, document.text, options, *lease, out);
  if (neutralised != nullptr) *neutralised = kept_as_text;
  return out;
}

namespace {

// min(number of tokens, limit + 1).
std::size_t count_tokens(const Pipeline& pipeline, std::string_view text, std::size_t limit,
                         const EncodeOptions& options, EncodeScratch& scratch) {
  // A token covers at most so many bytes, so a long document is over the limit before it is read.
  if (pipeline.tiles() && !options.add_special &&
      text.size() / pipeline.longest_token_bytes() > limit)
    return limit + 1;
  const Document document = admit(text, options.invalid, scratch);
  post::PostOptions post;
  post.add_special = options.add_special;
  post.limits = options.truncate;
  EncodeWants wants;
  Encoding out;
  if (pipeline.post().changes_nothing(post)) {
    wants.count_only = true;
    wants.stop_after = limit;
    return std::min(
        run(pipeline, document, options.special, options.special_list, wants, scratch, out),
        limit + 1);
  }
  run(pipeline, document, options.special, options.special_list, wants, scratch, out);
  EncodeOptions plain = options;
  plain.want_spans = false;
  finish(pipeline, document.text, plain, scratch, out);
  return std::min(out.ids.size(), limit + 1);
}

}  // namespace

std::size_t Tokenizer::count(std::string_view text, const EncodeOptions& options) const {
  return count_up_to(text, SIZE_MAX - 1, options);
}

std::size_t Tokenizer::count(std::string_view text, const EncodeOptions& options,
                             Scratch& scratch) const {
  return count_tokens(*impl_->pipeline, text, SIZE_MAX - 1, options, *scratch.impl_->scratch);
}

std::size_t Tokenizer::count_up_to(std::string_view text, std::size_t limit,
                                   const EncodeOptions& options) const {
  const auto lease = impl_->pool.take();
  return count_tokens(*impl_->pipeline, text, limit, options, *lease);
}

bool Tokenizer::fits(std::string_view text, std::size_t limit, const EncodeOptions& options) const {
  // No token is empty where tokens tile the bytes.
  if (impl_->pipeline->tiles() && text.size() <= limit && !options.add_special &&
      !unicode::find_invalid_utf8(text))
    return true;
  return count_up_to(text, limit, options) <= limit;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special) const {
  decode::DecodeOptions options;
  options.skip_special = skip_special;
  return impl_->pipeline->decoder().decode(ids, options);
}

std::string_view Tokenizer::token_text(TokenId id) const {
  if (const added::Entry* entry = impl_->pipeline->added().table().find(id)) return entry->text;
  return impl_->pipeline->spec().vocab[id];
}

TokenId Tokenizer::end_id() const { return impl_->pipeline->decoder().end_id(); }
bool Tokenizer::is_special(TokenId id) const { return impl_->pipeline->decoder().is_special(id); }

struct StreamDecoder::Impl {
  std::shared_ptr<const Tokenizer::Impl> tokenizer;  // keeps the decoder alive
  decode::Stream stream;
};

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special) {
  decode::DecodeOptions options;
  options.skip_special = skip_special;
  impl_ = std::make_unique<Impl>(
      Impl{tokenizer.impl_, decode::Stream(tokenizer.impl_->pipeline->decoder(), options)});
}
StreamDecoder::StreamDecoder(StreamDecoder&&) noexcept = default;
StreamDecoder& StreamDecoder::operator=(StreamDecoder&&) noexcept = default;
StreamDecoder::~StreamDecoder() = default;
std::string StreamDecoder::push(TokenId id) { return impl_->stream.push(id); }
std::string StreamDecoder::push(std::span<const TokenId> ids) { return impl_->stream.push(ids); }
std::string StreamDecoder::finish() { return impl_->stream.finish(); }

}  // namespace toktier
