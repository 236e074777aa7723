#include "apps/encode/records.hpp"

#include "report/json_writer.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>

namespace toktier::encode_app {
namespace {

void append_number(std::string& out, std::uint32_t number) {
  char digits[10];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

// Byte offsets to code point offsets; offsets mostly rise, so counting goes on from the last one.
class Offsets {
 public:
  Offsets(std::string_view text, bool code_points) : text_(text), code_points_(code_points) {}
  std::uint32_t operator()(std::uint32_t byte) {
    if (!code_points_) return byte;
    if (byte < at_) at_ = count_ = 0;
    for (; at_ < byte && at_ < text_.size(); ++at_)
      count_ += (static_cast<unsigned char>(text_[at_]) & 0xC0) != 0x80;
    return count_;
  }

 private:
  std::string_view text_;
  bool code_points_;
  std::uint32_t at_ = 0, count_ = 0;
};

void append_spans(std::string& out, std::string_view name, const std::vector<Span>& spans,
                  std::string_view text, bool code_points) {
  Offsets offset(text, code_points);
  out += ",\"";
  out += name;
  out += "\":[";
  for (std::size_t i = 0; i < spans.size(); ++i) {
    out += i == 0 ? "[" : ",[";
    append_number(out, offset(spans[i].begin));
    out += ',';
    append_number(out, offset(spans[i].end));
    out += ']';
  }
  out += ']';
}

}  // namespace

std::string id_hash(std::span<const TokenId> ids) {
  std::string bytes;
  append_binary(bytes, ids, 4);
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

void append_record(std::string& out, std::string_view id, std::string_view text,
                   const Encoding& encoding, std::size_t count, const Emit& emit, bool code_points,
                   const Tokenizer& tokenizer) {
  out += "{\"id\":";
  report::append_json_string(out, id);
  if (emit.ids) {
    out += ",\"ids\":[";
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
      if (i > 0) out += ',';
      append_number(out, encoding.ids[i]);
    }
    out += ']';
  }
  if (emit.spans) append_spans(out, "spans", encoding.spans, text, code_points);
  if (emit.pieces) append_spans(out, "pieces", encoding.pieces, text, code_points);
  if (emit.tokens) {
    out += ",\"tokens\":[";
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
      if (i > 0) out += ',';
      report::append_json_string(out, tokenizer.token_text(encoding.ids[i]));
    }
    out += ']';
  }
  if (emit.count) out += fmt::format(",\"count\":{}", count);
  if (emit.hash) out += fmt::format(",\"hash\":\"{}\"", id_hash(encoding.ids));
  out += "}\n";
}

void append_binary(std::string& out, std::span<const TokenId> ids, unsigned width) {
  out.reserve(out.size() + ids.size() * width);
  for (const TokenId id : ids) {
    if (width == 2 && id > 0xFFFF)
      throw Error(ErrorCode::usage, fmt::format("--bin u16: id {} does not fit; use u32", id));
    for (unsigned b = 0; b < width; ++b) out.push_back(static_cast<char>((id >> (8 * b)) & 0xFF));
  }
}

}  // namespace toktier::encode_app
