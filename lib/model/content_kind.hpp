#pragma once
// What a file is, from its bytes alone. Internal to this room.

#include "model/json_fields.hpp"

#include <string_view>

namespace toktier::model {

enum class Content {
  json,             // to be told apart by json_kind()
  rank_file,        // base64 and rank on each line
  sentencepiece,    // protobuf
  wordpiece_vocab,  // lines, one of them [UNK]
};

/// Error{unsupported} naming what the file is and what would be needed, for everything that is none
/// of the above.
Content detect_content(std::string_view bytes, const LoadContext& context);

enum class JsonContent { tokenizer_json, tekken, packed_ranks };
/// The same for a parsed document.
/// Error{unsupported} when `text`, which is no JSON that can be parsed, is a tokenizer_config.json
/// all the same: these hold numbers beyond any integer type.
void refuse_config_text(std::string_view text, const LoadContext& context);
JsonContent detect_json(Json document, const LoadContext& context);

}  // namespace toktier::model
