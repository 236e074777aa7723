#include "model/content_kind.hpp"

#include "model/protobuf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace toktier::model {
namespace {

using std::string_view_literals::operator""sv;

// Formats that are known but not read: how they begin, and what to give instead.
struct Foreign {
  std::string_view magic;
  std::size_t offset;
  std::string_view what;
};
constexpr std::array<Foreign, 9> kForeign = {
    {{"GGUF"sv, 0,
      "a GGUF file; convert it back to the tokenizer.json or tokenizer.model it was made from"},
     {"ggml"sv, 0, "a GGML file; give the tokenizer.json or tokenizer.model it was made from"},
     {"PK\x03\x04"sv, 0,
      "a zip archive (a saved PyTorch or Keras model); give the tokenizer file inside"},
     {"\x80\x02"sv, 0, "a Python pickle; save the tokenizer as tokenizer.json"},
     {"\x80\x04"sv, 0, "a Python pickle; save the tokenizer as tokenizer.json"},
     {"\x80\x05"sv, 0, "a Python pickle; save the tokenizer as tokenizer.json"},
     {"\x1F\x8B"sv, 0, "a gzip file; unpack it first"},
     {"\x89HDF\r\n"sv, 0, "an HDF5 file (model weights); give the tokenizer file"},
     {"{\""sv, 8, "a safetensors file (model weights); give the tokenizer file beside it"}}};

std::string_view first_line(std::string_view bytes) {
  const std::size_t begin = std::min(bytes.find_first_not_of("\r\n"), bytes.size());
  return bytes.substr(begin, bytes.find_first_of("\r\n", begin) - begin);
}

bool is_rank_line(std::string_view line) {
  const std::size_t gap = line.find(' ');
  if (gap == std::string_view::npos || gap == 0) return false;
  const std::string_view token = line.substr(0, gap);
  std::string_view rank = line.substr(gap + 1);
  while (rank.ends_with(' ')) rank.remove_suffix(1);
  const auto in_base64 = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
  };
  return token.size() % 4 == 0 && std::all_of(token.begin(), token.end(), in_base64) &&
         !rank.empty() &&
         std::all_of(rank.begin(), rank.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "1 '\x00' 1": id, Python literal, length.
bool is_rwkv_line(std::string_view line) {
  const std::size_t gap = line.find(' ');
  return gap != std::string_view::npos && gap > 0 &&
         line.substr(0, gap).find_first_not_of("0123456789") == std::string_view::npos &&
         (line.substr(gap + 1).starts_with('\'') || line.substr(gap + 1).starts_with("b'") ||
          line.substr(gap + 1).starts_with('"'));
}

bool is_sentencepiece(std::string_view bytes) {
  ProtobufReader r(bytes);
  bool any = false;
  while (r.next()) {
    if (r.wire() != ProtobufReader::Wire::bytes || r.field() > 200) return false;
    any = true;
  }
  return any && !r.damaged();
}

bool has_line(std::string_view bytes, std::string_view line) {
  for (std::size_t at = bytes.find(line); at != std::string_view::npos;
       at = bytes.find(line, at + 1)) {
    const std::size_t end = at + line.size();
    const bool begins = at == 0 || bytes[at - 1] == '\n';
    if (begins && (end == bytes.size() || bytes[end] == '\n' || bytes[end] == '\r')) return true;
  }
  return false;
}

bool is_word_piece_list(std::string_view bytes) {
  if (has_line(bytes, "[UNK]") || has_line(bytes, "[unk]")) return true;
  // Continuation pieces: no other list of lines is full of "##".
  std::size_t count = 0;
  for (std::size_t at = bytes.find("\n##"); at != std::string_view::npos && count < 16;
       at = bytes.find("\n##", at + 1)) {
    ++count;
  }
  return count == 16 && bytes.find('\0') == std::string_view::npos;
}

[[noreturn]] void refuse_config(std::string_view tokenizer_class, const LoadContext& context) {
  fail_unsupported(
      context, tokenizer_class.empty() ? "added_tokens_decoder" : "tokenizer_class",
      fmt::format("{}not a tokenizer file that can be read here: a "
                  "tokenizer_config.json, which only names the tokenizer; give the "
                  "file that holds it (tokenizer.json, tokenizer.model, "
                  "tiktoken.model, vocab.txt)",
                  tokenizer_class.empty() ? std::string()
                                          : fmt::format("\"{}\" found, ", tokenizer_class)));
}

bool has(simdjson::dom::object object, std::string_view key) {
  return object.at_key(key).error() == simdjson::SUCCESS;
}

}  // namespace

Content detect_content(std::string_view bytes, const LoadContext& context) {
  if (bytes.empty()) fail_input(context, "", "the file is empty");
  const auto refuse = [&](std::string_view what) {
    fail_unsupported(context, "",
                     fmt::format("not a tokenizer file that can be read here: {}", what));
  };
  if (bytes.starts_with("\xEF\xBB\xBF")) {
    fail_input(context, "", "the file begins with a byte order mark, which the references refuse");
  }
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && bytes[start] == '{') return Content::json;
  for (const Foreign& f : kForeign) {
    if (bytes.size() > f.offset && bytes.substr(f.offset).starts_with(f.magic)) refuse(f.what);
  }
  if (start != std::string_view::npos && bytes.substr(start).starts_with("[\"")) {
    refuse("a JSON array; a tokenizer.json is an object");
  }
  const std::string_view line = first_line(bytes);
  if (is_rank_line(line)) return Content::rank_file;
  if (is_rwkv_line(line)) {
    refuse(
        "an RWKV vocabulary (id, literal, length on each line); its longest-match encoder is not "
        "implemented");
  }
  if (line.starts_with("#version")) {
    refuse(
        "a merges.txt; its vocabulary is in a second file, give the tokenizer.json made of both");
  }
  if (is_sentencepiece(bytes)) return Content::sentencepiece;
  if (is_word_piece_list(bytes)) return Content::wordpiece_vocab;
  const auto first = static_cast<unsigned char>(bytes[0]);
  // Tags of the fields of a SentencePiece model; its loader says where the damage is.
  if (first == 0x0A || first == 0x12 || first == 0x1A) return Content::sentencepiece;
  if (first == 0x08)
    refuse("protobuf that is no SentencePiece model (an ONNX model?); give the tokenizer file");
  refuse(
      "of no known kind (known are tokenizer.json, tekken.json, tiktoken ranks, SentencePiece "
      "models "
      "and WordPiece vocab.txt with an [UNK] line)");
  return Content::json;  // not reached
}

void refuse_config_text(std::string_view text, const LoadContext& context) {
  constexpr std::string_view kKey = "\"tokenizer_class\"";
  const std::size_t key = text.find(kKey);
  if (key == std::string_view::npos && text.find("\"added_tokens_decoder\"") == key) return;
  std::string_view value;
  if (key != std::string_view::npos) {
    const std::size_t colon = text.find_first_not_of(" \t\r\n", key + kKey.size());
    if (colon == std::string_view::npos || text[colon] != ':') return;
    const std::size_t quote = text.find_first_not_of(" \t\r\n", colon + 1);
    if (quote != std::string_view::npos && text[quote] == '"')
      value = text.substr(quote + 1, text.find_first_of("\"\\\n", quote + 1) - quote - 1);
  }
  refuse_config(value, context);
}

JsonContent detect_json(Json document, const LoadContext& context) {
  simdjson::dom::object root;
  if (document.get(root) != simdjson::SUCCESS) {
    fail_input(context, "", fmt::format("{} found, an object expected", describe(document)));
  }
  if (has(root, "model") || has(root, "pre_tokenizer") || has(root, "added_tokens")) {
    return JsonContent::tokenizer_json;
  }
  if (has(root, "config") && has(root, "vocab")) return JsonContent::tekken;
  if (has(root, "bpe_ranks")) return JsonContent::packed_ranks;
  std::string_view what =
      "JSON, but of no known kind (known are tokenizer.json, tekken.json and packed ranks)";
  if (has(root, "pat_str")) {
    what = "an encoding.json (pattern and special tokens); give the rank file beside it";
  } else if (has(root, "tokenizer_class") || has(root, "added_tokens_decoder")) {
    std::string_view tokenizer_class;
    if (root.at_key("tokenizer_class").get(tokenizer_class)) tokenizer_class = {};
    refuse_config(tokenizer_class, context);
  } else if (has(root, "architectures") || has(root, "model_type")) {
    what = "a model's config.json; give the tokenizer.json beside it";
  } else if (root.size() > 0 && std::all_of(root.begin(), root.end(),
                                            [](const auto& f) { return f.value.is_uint64(); })) {
    what = "a vocab.json; its merges are in a second file, give the tokenizer.json made of both";
  }
  fail_unsupported(context, "",
                   fmt::format("not a tokenizer file that can be read here: {}", what));
}

}  // namespace toktier::model
