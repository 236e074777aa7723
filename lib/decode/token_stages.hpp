#pragma once
// Steps that need a whole token before they can say anything: ByteLevel, ByteFallback, WordPiece,
// BPEDecoder, CTC.

#include "decode/stage.hpp"

#include <memory>
#include <string>

namespace toktier::decode {

std::unique_ptr<Stage> make_byte_level_stage(Stage* next);
std::unique_ptr<Stage> make_byte_fallback_stage(Stage* next);
std::unique_ptr<Stage> make_wordpiece_stage(const model::DecWordPiece& step, Stage* next);
std::unique_ptr<Stage> make_bpe_stage(const model::DecBpe& step, Stage* next);
std::unique_ptr<Stage> make_ctc_stage(const model::DecCtc& step, Stage* next);

/// `text` with every `from` replaced, left to right. An empty `from` matches before each character
/// and at the end.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace toktier::decode
