#include "encode/pipeline.hpp"

#include "bpe/byte_alphabet.hpp"
#include "encode/regex_adapter.hpp"
#include "encode/seams.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::encode {

using added::Segment;

namespace {

normalize::Normalizer compile_normalizer(const model::TokenizerSpec& spec) {
  normalize::CompileOptions options;
  options.regex = onig_regex_factory();
  if (spec.reference == model::Reference::sentencepiece) {
    for (TokenId id = 0; id < spec.piece_types.size(); ++id)
      if (spec.piece_types[id] == model::PieceType::user_defined)
        options.kept_literals.emplace_back(spec.vocab[id]);
  }
  return normalize::Normalizer::compile(spec.normalizers, spec.reference, options);
}

std::string normalized_content(const normalize::Normalizer& normalizer, std::string_view content) {
  unicode::AlignedText text;
  text.reset(content, 0, true);
  normalizer.run(text);
  return std::string(text.text());
}

// BPE that reads bytes needs every byte that occurs as a symbol, whatever its place in the piece.
// Every other model behind the byte alphabet reads it as text, character for character.
bool reads_alphabet_as_text(const model::TokenizerSpec& spec) {
  const auto* bpe = std::get_if<model::Bpe>(&spec.model);
  if (bpe == nullptr) return true;
  if (!bpe->continuing_subword_prefix.empty() || !bpe->end_of_word_suffix.empty()) return true;
  for (unsigned b = 0; b < 0xF5; ++b) {
    if (b == 0xC0 || b == 0xC1) continue;  // in no well-formed text
    const char raw = static_cast<char>(b);
    std::string text;
    bpe::append_token_text(std::string_view(&raw, 1), text);
    if (spec.vocab.find(text) == model::kNoToken) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Pipeline> Pipeline::compile(model::TokenizerSpec spec) {
  return std::unique_ptr<Pipeline>(new Pipeline(std::move(spec)));
}

Pipeline::Pipeline(model::TokenizerSpec spec)
    : spec_(std::move(spec)),
      normalizer_(compile_normalizer(spec_)),
      added_(added::AddedTokens::compile(
          spec_,
          [this](std::string_view content) { return normalized_content(normalizer_, content); })),
      pre_tokenizer_(pretok::PreTokenizer::compile(spec_.pre_tokenizers, spec_.reference)),
      map_bytes_(pre_tokenizer_.byte_level() && reads_alphabet_as_text(spec_)),
      blank_text_(added_.splits_normalized() ? std::nullopt : BlankText::of(spec_)),
      model_(bpe::compile_model(spec_, pre_tokenizer_.byte_level() && !map_bytes_,
                                blank_text_.has_value())),
      post_(post::PostProcessor::compile(spec_, added_.table())) {
  const bool plain_bytes = spec_.decoders.size() == 1 &&
                           (std::holds_alternative<model::DecByteLevel>(spec_.decoders.front()) ||
                            std::holds_alternative<model::DecRawBytes>(spec_.decoders.front()));
  if (!plain_bytes) decoder();  // a step that cannot run is refused at load
  for (const added::Entry& entry : added_.table().entries()) {
    if (!post_.trims_spans() || !spec_.vocab.has(entry.id)) continue;
    if (spec_.vocab[entry.id] == entry.text) continue;
    two_texts_.resize(spec_.vocab.end_id(), false);
    two_texts_[entry.id] = true;
  }
  sentencepiece_ = spec_.reference == model::Reference::sentencepiece;
  tiles_ = model_->tiles() && normalizer_.identity() && pre_tokenizer_.streams() && !map_bytes_;
  byte_safe_ = tiles_ && spec_.kind != model::FileKind::tokenizer_json;
  for (TokenId id = 0; id < spec_.vocab.end_id(); ++id)
    longest_token_ = std::max(longest_token_, spec_.vocab[id].size());
  const auto reach = std::max(added_.raw_reach().longest, added_.normalized_reach().longest);
  longest_token_ = std::max(longest_token_, reach);
}

Pipeline::~Pipeline() = default;

const Seams& Pipeline::seams() const {
  std::call_once(seams_once_, [this] { seams_ = std::make_unique<const Seams>(*this); });
  return *seams_;
}

const decode::Decoder& Pipeline::decoder() const {
  std::call_once(decoder_once_,
                 [this] { decoder_.emplace(decode::Decoder::compile(spec_, added_.table())); });
  return *decoder_;
}

std::unique_ptr<EncodeScratch> Pipeline::scratch(std::size_t cache_budget_bytes) const {
  auto scratch = std::make_unique<EncodeScratch>();
  scratch->model = model_->workspace(cache_budget_bytes);
  return scratch;
}

// One run over one document; the members are what every step needs.
struct Pipeline::Run {
  const Pipeline& p;
  const added::SpecialFilter& filter;
  const EncodeWants& wants;
  EncodeScratch& scratch;
  Encoding& out;
  Part* part = nullptr;
  std::size_t counted = 0;

  // How a stretch of text stands in a part: open where the part is, and what of it is only shown.
  struct Stand {
    normalize::Open open;
    std::uint32_t ahead = 0;
    bool whole() const { return !open.left && !open.right; }
  };

  std::size_t document(std::string_view text);

  /// Texts of a part begin at 1: nowhere is the document's begin.
  std::uint32_t shift() const { return part != nullptr && part->open_left ? 1 : 0; }

  bool stopped() const { return counted + out.ids.size() > wants.stop_after; }

  void literal(TokenId id, Span span) {
    if (scratch.model->keep_open) {
      bpe::TokenSink sink(out.ids, nullptr);
      p.model_->put_literal(id, *scratch.model, sink);
    } else {
      out.ids.push_back(id);
    }
    if (wants.spans) out.spans.push_back(span);
    if (wants.pieces) out.pieces.push_back(span);
    flush_count();
  }

  void flush_count() {
    if (!wants.count_only) return;
    counted += out.ids.size();
    out.ids.clear();
  }

  // A literal's own text where white space beside it was taken with it.
  void note_text(std::string_view text) {
    if (wants.spans && p.post_.trims_spans())
      scratch.odd_texts.push_back({out.ids.size(), std::string(text)});
  }

  // Spans of the tokens of pieces that fill [begin, end) of `text`; `lengths` from the model.
  void place(const unicode::AlignedText& text, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t at = begin;
    for (const std::uint32_t marked : scratch.lengths) {
      const std::uint32_t length = marked & ~bpe::kSameBegin;
      if (length == 0 && p.sentencepiece_) {
        const std::uint32_t source = text.source(at).begin;
        out.spans.push_back({source, source});
      } else if (at + length > end) {
        // Byte tokens of affixes count bytes that the piece does not have; the reference then gives
        // the numbers as they are.
        out.spans.push_back({at - begin, at + length - begin});
      } else {
        out.spans.push_back(text.original({at, at + length}));
      }
      if (!(marked & bpe::kSameBegin)) at += length;
    }
    scratch.lengths.clear();
  }

  // The vocabulary's text of the model's tokens from `first` on, where an added token has the id
  // too.
  void note_shared(std::size_t first) {
    if (p.two_texts_.empty()) return;
    for (std::size_t i = first; i < out.ids.size(); ++i)
      if (out.ids[i] < p.two_texts_.size() && p.two_texts_[out.ids[i]])
        scratch.odd_texts.push_back({i, std::string(p.spec_.vocab[out.ids[i]])});
  }

  void note_unknown(const unicode::AlignedText& text, std::uint32_t begin, std::size_t first) {
    const auto* unigram = std::get_if<model::Unigram>(&p.spec_.model);
    if (unigram == nullptr || !unigram->unk_id || !p.post_.trims_spans()) return;
    std::uint32_t at = begin;
    for (std::size_t i = 0; i < scratch.lengths.size(); ++i) {
      const std::uint32_t length = scratch.lengths[i] & ~bpe::kSameBegin;
      if (out.ids[first + i] == *unigram->unk_id)
        scratch.odd_texts.push_back({first + i, std::string(text.text().substr(at, length))});
      if (!(scratch.lengths[i] & bpe::kSameBegin)) at += length;
    }
  }

  void encode_pieces(const unicode::AlignedText& text, std::uint32_t begin,
                     std::span<const std::uint32_t> ends) {
    const std::size_t first = out.ids.size();
    if (!wants.spans) {
      encode_ids(text.text(), begin, ends);
      return;
    }
    if (p.model_->tiles()) {
      encode_with_lengths(text, begin, ends);
      note_shared(first);
      place(text, begin, ends.empty() ? begin : ends.back());
    } else {
      for (const std::uint32_t& end : ends) {
        const std::size_t before = out.ids.size();
        encode_with_lengths(text, begin, {&end, 1});
        note_unknown(text, begin, before);
        note_shared(before);
        place(text, begin, end);
        begin = end;
      }
    }
  }

  void encode_ids(std::string_view text, std::uint32_t begin, std::span<const std::uint32_t> ends) {
    const std::size_t first = out.ids.size();
    {
      bpe::TokenSink sink(out.ids, nullptr);
      p.model_->encode(text, begin, ends, *scratch.model, sink);
    }
    if (wants.count_only) {
      counted += out.ids.size() - first;
      out.ids.resize(first);
    }
  }

  void encode_with_lengths(const unicode::AlignedText& text, std::uint32_t begin,
                           std::span<const std::uint32_t> ends) {
    bpe::TokenSink sink(out.ids, &scratch.lengths);
    p.model_->encode(text.text(), begin, ends, *scratch.model, sink);
  }

  // A piece that goes on in the next part; the model may take something over.
  struct InParts {
    InParts(Run& owner, const Stand& stand)
        : run(owner),
          open(!stand.whole() && owner.p.pre_tokenizer_.cut_rule() == pretok::CutRule::whole) {
      if (!open) return;
      run.scratch.model->in_parts = true;
      run.scratch.model->carry = stand.open.left ? run.part->carry : 0;
    }
    ~InParts() {
      if (!open) return;
      run.part->carry = run.scratch.model->carry;
      run.scratch.model->in_parts = false;
    }
    InParts(const InParts&) = delete;
    InParts& operator=(const InParts&) = delete;
    Run& run;
    bool open;
  };

  // No pre-tokenizer: the segment is one piece.
  void one_piece(const unicode::AlignedText& text) {
    const auto end = static_cast<std::uint32_t>(text.text().size());
    if (wants.pieces) out.pieces.push_back(text.original({0, end}));
    encode_pieces(text, 0, {&end, 1});
  }

  void stream_pieces(const unicode::AlignedText& text, std::uint32_t ahead) {
    constexpr std::size_t kBatch = 1000;
    std::uint32_t ends[kBatch];
    std::uint32_t at = 0;
    const auto limit = static_cast<std::uint32_t>(text.text().size()) - ahead;
    while (!stopped() && at < limit) {
      const std::uint32_t begin = at;
      std::size_t n = p.pre_tokenizer_.scan(text.text(), &at, ends, kBatch);
      if (n == 0) break;
      if (at > limit) {
        while (n > 0 && ends[n - 1] > limit) --n;
        if (n == 0 || ends[n - 1] != limit)
          throw Error(ErrorCode::internal, "a piece lies across a seam", p.spec_.path);
      }
      if (wants.pieces) {
        std::uint32_t b = begin;
        for (std::size_t i = 0; i < n; ++i) {
          out.pieces.push_back(text.original({b, ends[i]}));
          b = ends[i];
        }
      }
      encode_pieces(text, begin, {ends, n});
    }
  }

  void list_pieces(unicode::AlignedText& text, bool open_left) {
    scratch.pieces.clear();
    p.pre_tokenizer_.run(text, scratch.pieces, open_left);
    if (p.map_bytes_) map_to_alphabet(text);
    const std::vector<pretok::Piece>& pieces = scratch.pieces;
    for (std::size_t i = 0; i < pieces.size() && !stopped();) {
      // Pieces that touch go to the model together.
      scratch.ends.clear();
      const std::uint32_t begin = pieces[i].begin;
      std::uint32_t end = begin;
      for (; i < pieces.size() && pieces[i].begin == end && scratch.ends.size() < 256; ++i) {
        end = pieces[i].end;
        scratch.ends.push_back(end);
        if (wants.pieces) out.pieces.push_back(text.original({pieces[i].begin, end}));
      }
      encode_pieces(text, begin, scratch.ends);
    }
  }

  // For models that read the byte alphabet as text: every byte becomes its character, with the
  // byte's source.
  void map_to_alphabet(unicode::AlignedText& text) {
    const std::string_view bytes = text.text();
    std::vector<std::uint32_t> where(bytes.size() + 1);
    unicode::AlignedText::Rewrite rewrite(text);
    std::string character;
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
      where[i] = at;
      character.clear();
      bpe::append_token_text(bytes.substr(i, 1), character);
      rewrite.drop(1);
      rewrite.put(character, text.tracked() ? text.source(i) : Span{});
      at += static_cast<std::uint32_t>(character.size());
    }
    where[bytes.size()] = at;
    rewrite.finish();
    for (pretok::Piece& piece : scratch.pieces) piece = {where[piece.begin], where[piece.end]};
  }

  void plain(unicode::AlignedText& text, const Stand& stand) {
    if (text.text().empty()) return;
    if (!text.regular() && p.pre_tokenizer_.byte_level()) {
      throw Error(ErrorCode::unsupported,
                  "the normalizer puts characters that stand for nothing before a byte-level step; "
                  "the reference then repeats characters or dies",
                  p.spec_.path);
    }
    const InParts parts(*this, stand);
    if (p.pre_tokenizer_.keeps_whole(text.text()))
      one_piece(text);
    else if (p.pre_tokenizer_.streams() && !p.map_bytes_)
      stream_pieces(text, stand.ahead);
    else
      list_pieces(text, stand.open.left);
  }

  bool track() const {
    return wants.spans || wants.pieces ||
           (!p.normalizer_.identity() && p.pre_tokenizer_.needs_sources()) ||
           (!wants.untrusted.ranges.empty() && p.added_.splits_normalized());
  }

  /// False, and nothing is done, when the text must be rewritten.
  bool blank_text(std::string_view document, std::uint32_t begin, std::uint32_t end, bool open_left,
                  bool at_begin) {
    const std::string_view stretch = document.substr(begin, end - begin);
    if (stretch.empty() || !p.blank_text_->reads(stretch)) return false;
    if (open_left || !p.blank_text_->wants_front(stretch, at_begin)) {
      encode_ids(document, begin, {&end, 1});
      return true;
    }
    scratch.fronted.assign(1, ' ').append(stretch);
    const auto fronted_end = static_cast<std::uint32_t>(scratch.fronted.size());
    encode_ids(scratch.fronted, 0, {&fronted_end, 1});
    return true;
  }

  void text_segment(std::string_view document, std::uint32_t begin, std::uint32_t end) {
    Stand stand;
    std::uint32_t base = begin;
    if (part != nullptr) {
      const auto size = static_cast<std::uint32_t>(document.size());
      stand = {{part->open_left && begin == 0, part->open_right && end == size},
               end == size ? part->ahead : 0};
      base += shift();
    }
    // Without literals of normalized text nothing else asks for sources (track()).
    if (p.blank_text_ && !wants.spans && !wants.pieces &&
        blank_text(document, begin, end, stand.open.left, base == 0))
      return;
    scratch.text.reset(document.substr(begin, end - begin), base, track());
    if (!p.normalizer_.identity()) p.normalizer_.run_open(scratch.text, stand.open);
    if (!p.added_.splits_normalized()) {
      plain(scratch.text, stand);
      return;
    }
    std::vector<Span> untrusted;
    added::Untrusted parts = wants.untrusted;
    if (!parts.ranges.empty()) {
      std::vector<Span> shifted(parts.ranges.begin(), parts.ranges.end());
      for (Span& range : shifted) range = {range.begin + shift(), range.end + shift()};
      untrusted = added::untrusted_in(scratch.text, shifted);
      parts.ranges = untrusted;
    }
    scratch.normalized_segments.clear();
    p.added_.split_normalized(scratch.text.text(), filter, scratch.normalized_segments, parts);
    for (const Segment& s : scratch.normalized_segments) {
      if (stopped()) return;
      if (s.is_literal()) {
        note_text(scratch.text.text().substr(s.begin, s.end - s.begin));
        literal(s.id, track() ? scratch.text.original({s.begin, s.end}) : Span{});
      } else {
        scratch.slice.assign_slice(scratch.text, {s.begin, s.end});
        Stand own = stand;
        own.open.left &= s.begin == 0;
        if (s.end != scratch.text.text().size()) {
          own.open.right = false;
          own.ahead = 0;
        }
        plain(scratch.slice, own);
      }
    }
  }
};

std::size_t Pipeline::run(std::string_view text, const added::SpecialFilter& filter,
                          const EncodeWants& wants, EncodeScratch& scratch, Encoding& out) const {
  Run run{*this, filter, wants, scratch, out};
  return run.document(text);
}

void Pipeline::run_part(Part& part, const added::SpecialFilter& filter, const EncodeWants& wants,
                        EncodeScratch& scratch, Encoding& out) const {
  const std::size_t before = out.spans.size();
  Run run{*this, filter, wants, scratch, out, &part};
  run.document(part.text);
  for (std::size_t i = before; i < out.spans.size(); ++i) {
    Span& span = out.spans[i];
    span = {span.begin - std::min(span.begin, run.shift()),
            span.end - std::min(span.end, run.shift())};
  }
}

std::size_t Pipeline::Run::document(std::string_view text) {
  scratch.odd_texts.clear();
  const std::size_t before = out.ids.size();
  // Only spans need to know a segment's ids at once; whoever stops early looks at their number.
  scratch.model->start();
  scratch.model->keep_open = !wants.spans && wants.stop_after == SIZE_MAX;
  // Whatever ends this run, the next user of the scratch space finds it closed.
  struct Closing {
    bpe::Workspace& workspace;
    ~Closing() {
      workspace.keep_open = false;
      workspace.start();
    }
  } closing{*scratch.model};
  if (!p.added_.splits_raw()) {
    text_segment(text, 0, static_cast<std::uint32_t>(text.size()));
  } else {
    scratch.raw_segments.clear();
    p.added_.split_raw(text, filter, scratch.raw_segments, wants.untrusted);
    for (const Segment& s : scratch.raw_segments) {
      if (stopped()) break;
      if (s.is_literal()) {
        note_text(text.substr(s.begin, s.end - s.begin));
        literal(s.id, {s.begin + shift(), s.end + shift()});
      } else {
        text_segment(text, s.begin, s.end);
      }
    }
  }
  if (scratch.model->keep_open) {
    bpe::TokenSink sink(out.ids, nullptr);
    p.model_->finish(*scratch.model, sink);
  }
  if (wants.count_only) {
    counted += out.ids.size() - before;
    out.ids.resize(before);
  }
  return counted + out.ids.size() - before;
}

}  // namespace toktier::encode
