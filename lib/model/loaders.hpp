#pragma once
// One loader per file format. Internal to this room: the public entry is load() in spec.hpp.

#include "model/json_fields.hpp"
#include "model/spec.hpp"

#include <string>
#include <string_view>

namespace toktier::model {

// Parts of tokenizer.json; `field` is the place of `value` in the file. A null value means "no such
// stage".
std::vector<Normalizer> read_normalizers(Json value, LoadContext& context);
std::vector<PreTokenizer> read_pre_tokenizers(Json value, LoadContext& context);
std::vector<PostProcessor> read_post_processors(Json value, LoadContext& context);
std::vector<Decoder> read_decoders(Json value, LoadContext& context);
/// Fills spec.model and spec.vocab.
void read_model(Json value, LoadContext& context, TokenizerSpec& spec);
/// {"String": s} or {"Regex": s}.
StringOrRegex read_pattern(Json value, const LoadContext& context, const std::string& field);

// Whole formats. Each fills everything but spec.path, spec.fingerprint and spec.notes.
void load_tokenizer_json(Json document, LoadContext& context, TokenizerSpec& spec);
void load_tekken(Json document, LoadContext& context, TokenizerSpec& spec);
void load_packed_ranks(Json document, LoadContext& context, TokenizerSpec& spec);
/// `side` = encoding.json, may be empty. `sha256` = fingerprint of `bytes`.
void load_rank_file(std::string_view bytes, std::string_view side, const std::string& sha256,
                    const LoadOptions& options, LoadContext& context, TokenizerSpec& spec);
void load_sentencepiece(std::string_view bytes, LoadContext& context, TokenizerSpec& spec);
void load_wordpiece_vocab(std::string_view bytes, const LoadOptions& options, LoadContext& context,
                          TokenizerSpec& spec);

}  // namespace toktier::model
