#pragma once
// The tokenizer every build carries, so that each program works without any download: OpenAI's
// GPT-2 vocabulary as a tokenizer.json, zstd-compressed. Origin and licence: NOTICE.

#include <string_view>

namespace toktier::model {

/// The zstd-compressed bytes of a GPT-2 tokenizer.json; load_bytes() takes them as they are. Static
/// storage, valid for the life of the program; any number of threads may read it.
std::string_view embedded_gpt2();

/// sha256 (hex) of the decompressed file; scripts/checks/embedded proves it.
inline constexpr std::string_view kEmbeddedGpt2Sha256 =
    "6df4b1ff0d34438ee7a985106f9f46b59b34a0c7a1aba088f5f2691d21e936e1";

}  // namespace toktier::model
