#pragma once
// The frames spoken with a contestant (scripts/bench/peer.py states both sides; our own side is
// worker.cpp), as functions between values and bytes. Nothing trusts the other side: every length
// is checked. Pure functions; errors are Error{unavailable} ("reply: ...").

#include "diff/external/frame.hpp"
#include "toktier/types.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::bench {

enum class Frame : std::uint32_t { bye = 4, load = 0x11, texts = 0x12, pass = 0x13, ids = 0x14 };
inline constexpr std::uint32_t kEachDocument = 1;  // flag of a pass: the digest of each document

/// SHA-256: of a document's ids as little-endian u32; of a pass, of its documents' digests.
using Digest = std::array<char, 32>;
Digest sha256_digest(std::string_view bytes);
Digest digest_of(const TokenId* ids, std::size_t count);
std::string hex(const Digest& digest);

struct Seconds {
  double wall = 0, cpu = 0;
};

struct LoadReply {
  std::string engine, version, call, runtime, kind;
  Seconds load;
};
struct PassReply {
  Seconds time;
  std::uint64_t ids = 0;
  Digest digest{};
  std::vector<Digest> documents;  // when asked for
};

/// A whole frame.
std::string make_frame(std::uint32_t type, std::string_view payload);
inline std::string make_frame(Frame type, std::string_view payload) {
  return make_frame(static_cast<std::uint32_t>(type), payload);
}

std::string load_payload(std::string_view engine, std::string_view model);
std::string texts_payload(const std::vector<std::string>& texts);
std::string number_payload(std::uint32_t number);

LoadReply parse_load(std::string_view payload);
PassReply parse_pass(std::string_view payload, std::size_t documents_asked);
std::vector<TokenId> parse_ids(std::string_view payload);

/// For the answering side.
std::string parse_load_request(std::string_view payload);  // the model
std::string load_reply_payload(const LoadReply& reply);
std::string pass_reply_payload(const PassReply& reply);
std::vector<std::string> parse_texts(std::string_view payload);
std::uint32_t parse_number(std::string_view payload);

}  // namespace toktier::bench
