#include "apps/bench/wire.hpp"

#include "base/sha256.hpp"
#include "report/json_writer.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <bit>
#include <charconv>
#include <cstring>

namespace toktier::bench {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

[[noreturn]] void bad(const std::string& what) {
  throw Error(ErrorCode::unavailable, "reply: " + what);
}

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T take(std::string_view& bytes) {
  if (bytes.size() < sizeof(T)) bad("ends too early");
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

std::string text_field(const simdjson::dom::element& root, const char* name) {
  std::string_view text;
  if (root[name].get(text)) bad(fmt::format("no text field {}", name));
  return std::string(text);
}

double number_field(const simdjson::dom::element& root, const char* name) {
  double number = 0;
  if (root[name].get(number)) bad(fmt::format("no number field {}", name));
  return number;
}

}  // namespace

Digest sha256_digest(std::string_view bytes) {
  const std::string text = base::sha256_hex(bytes);
  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    unsigned value = 0;
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, value, 16);
    digest[i] = static_cast<char>(value);
  }
  return digest;
}

Digest digest_of(const TokenId* ids, std::size_t count) {
  return sha256_digest({reinterpret_cast<const char*>(ids), count * sizeof(TokenId)});
}

std::string hex(const Digest& digest) {
  std::string text;
  for (const char byte : digest) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string make_frame(std::uint32_t type, std::string_view payload) {
  if (payload.size() > diff::external::kMaxPayload) {
    throw Error(ErrorCode::input, fmt::format("{} bytes of text are more than one request holds; "
                                              "take less with --slice-bytes",
                                              payload.size()));
  }
  std::string frame;
  frame.reserve(diff::external::kHeaderBytes + payload.size());
  append(frame, diff::external::kMagic);
  append(frame, type);
  append(frame, static_cast<std::uint32_t>(payload.size()));
  frame += payload;
  return frame;
}

std::string load_payload(std::string_view engine, std::string_view model) {
  std::string text;
  report::JsonWriter json(text);
  json.begin_object().field("engine", engine).field("model", model).end_object();
  return text;
}

std::string texts_payload(const std::vector<std::string>& texts) {
  std::string out;
  append(out, static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) append(out, static_cast<std::uint32_t>(text.size()));
  for (const std::string& text : texts) out += text;
  return out;
}

std::string number_payload(std::uint32_t number) {
  std::string out;
  append(out, number);
  return out;
}

LoadReply parse_load(std::string_view payload) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(payload.data(), payload.size()).get(root)) bad("not JSON");
  LoadReply reply;
  reply.engine = text_field(root, "engine");
  reply.version = text_field(root, "version");
  reply.call = text_field(root, "call");
  reply.runtime = text_field(root, "runtime");
  reply.kind = text_field(root, "kind");
  reply.load = {number_field(root, "load_wall"), number_field(root, "load_cpu")};
  return reply;
}

PassReply parse_pass(std::string_view payload, std::size_t documents_asked) {
  PassReply reply;
  reply.time.wall = take<double>(payload);
  reply.time.cpu = take<double>(payload);
  reply.ids = take<std::uint64_t>(payload);
  reply.digest = take<Digest>(payload);
  for (std::size_t i = 0; i < documents_asked; ++i) {
    reply.documents.push_back(take<Digest>(payload));
  }
  if (!payload.empty()) bad(fmt::format("{} bytes too many", payload.size()));
  return reply;
}

std::vector<TokenId> parse_ids(std::string_view payload) {
  if (payload.size() % sizeof(TokenId) != 0) bad("half an id");
  std::vector<TokenId> ids(payload.size() / sizeof(TokenId));
  if (!ids.empty()) std::memcpy(ids.data(), payload.data(), payload.size());
  return ids;
}

std::string parse_load_request(std::string_view payload) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(payload.data(), payload.size()).get(root)) bad("not JSON");
  return text_field(root, "model");
}

std::string load_reply_payload(const LoadReply& reply) {
  std::string text;
  report::JsonWriter json(text);
  json.begin_object().field("engine", reply.engine).field("version", reply.version);
  json.field("call", reply.call).field("runtime", reply.runtime).field("kind", reply.kind);
  json.field("load_wall", reply.load.wall).field("load_cpu", reply.load.cpu).end_object();
  return text;
}

std::string pass_reply_payload(const PassReply& reply) {
  std::string out;
  append(out, reply.time.wall);
  append(out, reply.time.cpu);
  append(out, reply.ids);
  append(out, reply.digest);
  for (const Digest& digest : reply.documents) append(out, digest);
  return out;
}

std::vector<std::string> parse_texts(std::string_view payload) {
  const auto count = take<std::uint32_t>(payload);
  if (payload.size() / sizeof(std::uint32_t) < count) bad("texts: fewer lengths than stated");
  std::string_view lengths = payload.substr(0, count * sizeof(std::uint32_t));
  payload.remove_prefix(lengths.size());
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto size = take<std::uint32_t>(lengths);
    if (size > payload.size()) bad("texts: lengths do not add up to the payload");
    texts.emplace_back(payload.substr(0, size));
    payload.remove_prefix(size);
  }
  if (!payload.empty()) bad("texts: lengths do not add up to the payload");
  return texts;
}

std::uint32_t parse_number(std::string_view payload) {
  const auto number = take<std::uint32_t>(payload);
  if (!payload.empty()) bad("more than a number");
  return number;
}

}  // namespace toktier::bench
