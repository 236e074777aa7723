#include "decode/decoder.hpp"

#include "decode/sentencepiece_text.hpp"
#include "decode/stage.hpp"
#include "decode/utf8_assembler.hpp"
#include "normalize/normalizer.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <optional>

namespace toktier::decode {

namespace {

/// The three ways from ids to text.
enum class Route {
  bytes,          // each id stands for fixed bytes; ill-formed UTF-8 replaced or not
  chain,          // token texts through stages
  sentencepiece,  // pieces with types
};

/// End of a chain: collects the text.
class Collector : public Stage {
 public:
  Collector() : Stage(nullptr) {}
  void text(std::string_view part) override { out_ += part; }
  void end_token() override {}
  void finish() override {}
  std::string take() {
    std::string out;
    out.swap(out_);
    return out;
  }

 private:
  std::string out_;
};

}  // namespace

struct Decoder::Impl {
  Route route = Route::chain;
  bool replace_ill_formed = false;  // bytes route: always (ByteLevel); else only when asked
  std::string path;
  std::vector<model::Decoder> steps;
  model::DecSentencePiece sentencepiece;
  std::optional<normalize::Normalizer> denormalizer;
  std::vector<model::PieceType> types;
  std::string blob;                // texts (or bytes) of all ids
  std::vector<std::size_t> begin;  // by id, one more than ids
  std::vector<bool> present, special;

  void add(std::string_view text, bool is_present, bool is_special) {
    blob += text;
    begin.push_back(blob.size());
    present.push_back(is_present);
    special.push_back(is_special);
  }
  bool has(TokenId id) const { return id < present.size() && present[id]; }
  std::string_view text(TokenId id) const {
    return std::string_view(blob).substr(begin[id], begin[id + 1] - begin[id]);
  }
  /// False: the id is to be left out. Throws for an unknown one.
  bool wanted(TokenId id, const DecodeOptions& options) const {
    if (!has(id)) {
      if (options.unknown == DecodeOptions::UnknownId::drop) return false;
      throw Error(ErrorCode::input,
                  "id " + std::to_string(id) + " is not in the vocabulary (ids end at " +
                      std::to_string(present.size()) + ")",
                  path);
    }
    // SentencePiece control pieces give no text but end a run of byte pieces, so they are never
    // left out.
    return !options.skip_special || !special[id] || route == Route::sentencepiece;
  }
};

Decoder::Decoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Decoder Decoder::compile(const model::TokenizerSpec& spec, const added::AddedTable& added) {
  auto impl = std::make_unique<Impl>();
  impl->path = spec.path;
  impl->steps = spec.decoders;
  bool byte_level = false;
  if (spec.decoders.size() == 1) {
    const model::Decoder& only = spec.decoders.front();
    byte_level = std::holds_alternative<model::DecByteLevel>(only);
    if (byte_level || std::holds_alternative<model::DecRawBytes>(only)) impl->route = Route::bytes;
    if (const auto* rules = std::get_if<model::DecSentencePiece>(&only)) {
      impl->route = Route::sentencepiece;
      impl->sentencepiece = *rules;
      if (rules->denormalizer) {
        try {
          impl->denormalizer.emplace(
              normalize::Normalizer::compile({*rules->denormalizer}, spec.reference));
        } catch (const Error& error) {
          throw Error(error.code(), error.what(), spec.path + ": denormalizer_spec");
        }
      }
      impl->types = spec.piece_types;
    }
  }
  impl->replace_ill_formed = byte_level;
  const bool texts_decide = spec.reference == model::Reference::hf_tokenizers;
  TokenId end = spec.vocab.end_id();
  if (!added.entries().empty()) end = std::max(end, added.entries().back().id + 1);
  impl->begin.push_back(0);
  std::string bytes;
  for (TokenId id = 0; id < end; ++id) {
    const added::Entry* entry = added.find(id);
    // The Hugging Face engine looks among the added tokens first, tiktoken among the ranks first.
    const bool from_added = entry != nullptr && (texts_decide || !spec.vocab.has(id));
    const std::string_view text = from_added ? std::string_view(entry->text) : spec.vocab[id];
    bool special = entry != nullptr && entry->special;
    if (texts_decide) special = added.is_special_text(text);
    if (impl->route == Route::sentencepiece) {
      special = id < impl->types.size() && impl->types[id] == model::PieceType::control;
    }
    bytes.clear();
    if (byte_level) append_byte_level(text, bytes);
    impl->add(byte_level ? std::string_view(bytes) : text, from_added || spec.vocab.has(id),
              special);
  }
  if (impl->route == Route::sentencepiece && impl->types.size() < end) {
    throw Error(ErrorCode::internal, "a .model file without the type of each piece", spec.path);
  }
  // Builds the chain once so that a step that cannot run is refused now.
  if (impl->route == Route::chain) {
    Collector collector;
    for (const model::Decoder& step : impl->steps) make_stage(step, &collector, spec.path);
  }
  return Decoder(std::move(impl));
}

TokenId Decoder::end_id() const { return static_cast<TokenId>(impl_->present.size()); }
bool Decoder::has(TokenId id) const { return impl_->has(id); }
bool Decoder::is_special(TokenId id) const { return impl_->has(id) && impl_->special[id]; }

std::string Decoder::decode(std::span<const TokenId> ids, const DecodeOptions& options) const {
  Stream stream(*this, options);
  std::string text = stream.push(ids);
  text += stream.finish();
  return text;
}

struct Stream::Impl {
  Impl(const Decoder::Impl& d, const DecodeOptions& o)
      : decoder(&d),
        options(o),
        assembler(d.replace_ill_formed || o.lossy_text),
        pieces(d.sentencepiece) {
    if (d.route != Route::chain) return;
    Stage* next = &collector;
    if (d.steps.empty()) {
      stages.push_back(make_blank_join_stage(next));
    }
    for (auto step = d.steps.rbegin(); step != d.steps.rend(); ++step) {
      stages.push_back(make_stage(*step, next, d.path));
      next = stages.back().get();
    }
  }

  void push(TokenId id, std::string& out) {
    const std::string_view text = decoder->text(id);
    switch (decoder->route) {
      case Route::bytes:
        assembler.push(text, out);
        break;
      case Route::sentencepiece:
        pieces.push(text, decoder->types[id], out);
        break;
      case Route::chain:
        if (!text.empty()) stages.back()->text(text);
        stages.back()->end_token();
        break;
    }
  }

  /// The denormalizer sees the whole text, whose end may change what stands before it.
  std::string denormalize(std::string_view rest) {
    std::string whole;
    whole.swap(undenormalized);
    whole += rest;
    if (whole.empty()) return whole;
    if (unicode::find_invalid_utf8(whole)) {
      throw Error(ErrorCode::unsupported,
                  "the pieces decode to text that is not UTF-8, which the denormalizer cannot take",
                  decoder->path);
    }
    unicode::AlignedText text;
    text.reset(whole, 0, false);
    decoder->denormalizer->run(text);
    return std::string(text.text());
  }

  const Decoder::Impl* decoder;
  DecodeOptions options;
  std::string undenormalized;
  Utf8Assembler assembler;
  SentencePieceText pieces;
  Collector collector;
  std::vector<std::unique_ptr<Stage>> stages;  // last step first; ids enter at the back
};

Stream::Stream(const Decoder& decoder, const DecodeOptions& options)
    : impl_(std::make_unique<Impl>(*decoder.impl_, options)) {}
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;

std::string Stream::push(TokenId id) { return push(std::span<const TokenId>(&id, 1)); }

std::string Stream::push(std::span<const TokenId> ids) {
  for (const TokenId id : ids)
    impl_->decoder->wanted(id, impl_->options);  // throws before any change
  std::string out;
  for (const TokenId id : ids) {
    if (impl_->decoder->wanted(id, impl_->options)) impl_->push(id, out);
  }
  if (impl_->decoder->denormalizer) {
    impl_->undenormalized += out;
    return {};
  }
  return impl_->decoder->route == Route::chain ? impl_->collector.take() : out;
}

std::string Stream::finish() {
  std::string out;
  switch (impl_->decoder->route) {
    case Route::bytes:
      impl_->assembler.finish(out);
      return out;
    case Route::sentencepiece:
      impl_->pieces.finish(out);
      if (impl_->decoder->denormalizer) return impl_->denormalize(out);
      return out;
    case Route::chain:
      break;
  }
  impl_->stages.back()->finish();
  return impl_->collector.take();
}

std::size_t Stream::held_bytes() const {
  std::size_t held = impl_->assembler.held() + impl_->pieces.held() + impl_->undenormalized.size();
  for (const auto& stage : impl_->stages) held += stage->held();
  return held;
}

}  // namespace toktier::decode
