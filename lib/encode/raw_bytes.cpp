// Documents that are not UTF-8, as the reference of rank files encodes them: what is well-formed is
// encoded as text; its last piece (and blanks before it) and all the rest are one piece of bytes.
// Source of the rule: tiktoken's encoding of bytes; it recognises no control tokens there.

#include "encode/pipeline.hpp"
#include "toktier/error.hpp"

#include <algorithm>

namespace toktier::encode {
namespace {

bool all_blank(std::string_view token) {
  return std::all_of(token.begin(), token.end(),
                     [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
}

}  // namespace

std::size_t Pipeline::run_raw(std::string_view bytes, std::size_t well_formed,
                              const EncodeWants& wants, EncodeScratch& scratch,
                              Encoding& out) const {
  if (!byte_safe_) {
    throw Error(ErrorCode::unsupported,
                "raw bytes need a rank file; this tokenizer works on characters", spec_.path);
  }
  Encoding text;
  EncodeWants plain;
  plain.pieces = true;
  run(bytes.substr(0, well_formed), added_.filter(SpecialMode::none), plain, scratch, text);
  // The tokens of the last piece, and tokens of blanks before it when it begins with one.
  std::size_t keep = text.ids.size();
  std::size_t end = well_formed;  // bytes covered by the tokens kept
  const auto drop_last = [&] { end -= spec_.vocab[text.ids[--keep]].size(); };
  if (!text.pieces.empty()) {
    while (end > text.pieces.back().begin) drop_last();
    if (all_blank(spec_.vocab[text.ids[keep]]))
      while (keep > 0 && all_blank(spec_.vocab[text.ids[keep - 1]])) drop_last();
  }
  const std::size_t before = out.ids.size();
  out.ids.insert(out.ids.end(), text.ids.begin(),
                 text.ids.begin() + static_cast<std::ptrdiff_t>(keep));
  const auto rest_end = static_cast<std::uint32_t>(bytes.size());
  {
    bpe::TokenSink sink(out.ids, nullptr);
    scratch.model->well_formed_text = false;
    model_->encode(bytes, static_cast<std::uint32_t>(end), {&rest_end, 1}, *scratch.model, sink);
    scratch.model->well_formed_text = true;
  }
  if (wants.spans) {
    std::uint32_t at = 0;
    for (std::size_t i = before; i < out.ids.size(); ++i) {
      const auto length = static_cast<std::uint32_t>(spec_.vocab[out.ids[i]].size());
      out.spans.push_back({at, at + length});
      at += length;
    }
  }
  if (wants.pieces) {
    for (const Span piece : text.pieces)
      if (piece.end <= end) out.pieces.push_back(piece);
    out.pieces.push_back({static_cast<std::uint32_t>(end), rest_end});
  }
  const std::size_t count = out.ids.size() - before;
  if (wants.count_only) out.ids.resize(before);
  return count;
}

}  // namespace toktier::encode
