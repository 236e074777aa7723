#include "encode/tokenizer_info.hpp"

#include "unicode/profile.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>

namespace toktier::encode {
namespace {

// Names of the alternatives of the variants in model/spec.hpp, in their order.
constexpr std::array<std::string_view, 15> kNormalizerNames = {
    "NFC",          "NFD",         "NFKC",           "NFKD",      "Nmt",
    "StripAccents", "Lowercase",   "Prepend",        "Append",    "Replace",
    "Strip",        "Precompiled", "BertNormalizer", "ByteLevel", "SentencePiece"};
static_assert(std::variant_size_v<model::Normalizer> == kNormalizerNames.size());
constexpr std::array<std::string_view, 11> kPreTokenizerNames = {
    "ByteLevel",          "Split",          "Digits",          "Punctuation",
    "Metaspace",          "Whitespace",     "WhitespaceSplit", "Bert",
    "CharDelimiterSplit", "UnicodeScripts", "FixedLength"};
static_assert(std::variant_size_v<model::PreTokenizer> == kPreTokenizerNames.size());
constexpr std::array<std::string_view, 4> kPostNames = {"Template", "Bert", "Roberta", "ByteLevel"};
static_assert(std::variant_size_v<model::PostProcessor> == kPostNames.size());
constexpr std::array<std::string_view, 11> kDecoderNames = {
    "ByteLevel", "ByteFallback", "Fuse", "Replace",   "Strip",        "Metaspace",
    "WordPiece", "BPE",          "CTC",  "raw bytes", "SentencePiece"};
static_assert(std::variant_size_v<model::Decoder> == kDecoderNames.size());

template <typename Steps, typename Names>
std::string chain(const Steps& steps, const Names& names) {
  std::vector<std::string_view> parts;
  for (const auto& step : steps) parts.push_back(names[step.index()]);
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, " > "));
}

std::string_view kind_name(model::FileKind kind) {
  switch (kind) {
    case model::FileKind::tokenizer_json:
      return "tokenizer.json";
    case model::FileKind::tiktoken:
      return "rank file";
    case model::FileKind::tekken:
      return "tekken.json";
    case model::FileKind::sentencepiece:
      return "SentencePiece .model";
    case model::FileKind::wordpiece_vocab:
      return "vocab.txt";
  }
  return "?";
}

std::string_view reference_name(model::Reference reference) {
  switch (reference) {
    case model::Reference::hf_tokenizers:
      return "tokenizers 0.23.3";
    case model::Reference::tiktoken:
      return "tiktoken 0.14.0";
    case model::Reference::sentencepiece:
      return "sentencepiece 0.2.3";
  }
  return "?";
}

std::string unicode_of(const model::TokenizerSpec& spec) {
  switch (spec.reference) {
    case model::Reference::hf_tokenizers:
      return fmt::format("{} ({})", unicode::onig_profile().unicode_version,
                         unicode::onig_profile().name);
    case model::Reference::tiktoken:
      return fmt::format("{} ({})", unicode::tiktoken_profile().unicode_version,
                         unicode::tiktoken_profile().name);
    case model::Reference::sentencepiece:
      return "the file's own character map";
  }
  return "?";
}

// Every regex of the pre-tokenizers, as the file has it.
std::string patterns_of(const model::TokenizerSpec& spec) {
  std::string text;
  for (const model::PreTokenizer& step : spec.pre_tokenizers) {
    const auto* split = std::get_if<model::PreSplit>(&step);
    if (split == nullptr) continue;
    if (!text.empty()) text += "  then  ";
    text += split->pattern.is_regex ? split->pattern.text
                                    : fmt::format("string \"{}\"", split->pattern.text);
  }
  return text;
}

}  // namespace

TokenizerInfo describe(const Pipeline& pipeline) {
  const model::TokenizerSpec& spec = pipeline.spec();
  TokenizerInfo info;
  info.path = spec.path;
  info.kind = kind_name(spec.kind);
  info.fingerprint = "sha256:" + spec.fingerprint;
  info.reference = reference_name(spec.reference);
  info.unicode = unicode_of(spec);
  info.pattern = patterns_of(spec);
  info.engine = pipeline.pre_tokenizer().describe();
  info.vocabulary = spec.vocab.size();
  const auto row = [&](std::string name, std::string value) {
    info.fields.emplace_back(std::move(name), std::move(value));
  };
  row("model", pipeline.model().describe());
  row("normalizer", chain(spec.normalizers, kNormalizerNames));
  row("pre_tokenizer", chain(spec.pre_tokenizers, kPreTokenizerNames));
  row("post_processor", chain(spec.post_processors, kPostNames));
  row("decoder", chain(spec.decoders, kDecoderNames));
  std::size_t special = 0;
  for (const added::Entry& entry : pipeline.added().table().entries()) special += entry.special;
  row("added_tokens", fmt::format("{} ({} special), recognised by default: {}",
                                  pipeline.added().table().entries().size(), special,
                                  spec.specials_by_default ? "yes" : "no"));
  row("post_adds", fmt::format("{} tokens with --add-special", pipeline.post().added_tokens()));
  if (spec.truncation) row("truncation", fmt::format("to {} tokens", spec.truncation->max_length));
  if (spec.padding) {
    row("padding", spec.padding->fixed ? fmt::format("to {} tokens with id {}",
                                                     *spec.padding->fixed, spec.padding->pad_id)
                                       : "to the longest of a batch: no effect on one document");
  }
  for (const std::string& note : spec.notes) row("note", note);
  return info;
}

}  // namespace toktier::encode
