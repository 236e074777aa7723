#pragma once
// The frames spoken with a reference worker (scripts/reference/worker.py states both sides), as
// pure functions between values and bytes. Nothing here trusts the other side: every length is
// checked against what is there.

#include "diff/engine.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff::external {

inline constexpr std::uint32_t kMagic = 0x31524B54;  // "TKR1"
inline constexpr std::size_t kHeaderBytes = 12;
inline constexpr std::uint32_t kMaxPayload = 1U << 30;

enum class FrameType : std::uint32_t { hello = 1, encode = 2, decode = 3, bye = 4, error = 0xFF };
inline constexpr std::uint32_t kReplyBit = 0x80;

struct Header {
  std::uint32_t type = 0;
  std::uint32_t length = 0;
};
/// Throws Error{unavailable}: bad magic, or a length over kMaxPayload.
Header parse_header(std::string_view bytes);

/// A whole request frame. Error{input} when the texts are too large for one frame.
std::string hello_request(std::string_view engine, std::string_view model, unsigned threads);
std::string encode_request(std::span<const std::string_view> texts, const Question& question);
std::string decode_request(std::span<const std::vector<TokenId>> lists);
std::string bye_request();

struct Hello {
  EngineIdentity identity;
  std::string sha256, side_sha256;
  std::vector<std::string> capabilities;
};
/// These throw Error{unavailable} ("reply: ...") when the payload is not what `count` documents
/// need.
Hello parse_hello(std::string_view payload);
void parse_encode(std::string_view payload, std::size_t count, const Question& question,
                  std::vector<Answer>& answers, std::uint64_t* microseconds);
void parse_decode(std::string_view payload, std::size_t count, std::vector<Decoded>& texts);
/// The worker's error reply, as the error it stands for.
Error parse_error(std::string_view payload);

}  // namespace toktier::diff::external
