// The formats other than tokenizer.json, from files made here.

#include "base/sha256.hpp"
#include "model/testing/expect_error.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>

using namespace toktier::model;  // NOLINT(google-build-using-namespace)
using toktier::model::testing::check_refused;
using toktier::model::testing::refusal;

namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
  out.push_back(static_cast<char>(value));
  return out;
}
std::string bytes_field(std::uint32_t number, const std::string& value) {
  return varint(number * 8 + 2) + varint(value.size()) + value;
}
std::string number_field(std::uint32_t number, std::uint64_t value) {
  return varint(number * 8) + varint(value);
}
std::string piece(const std::string& text, float score, int type) {
  const auto bits = std::bit_cast<std::uint32_t>(score);
  std::string raw = bytes_field(1, text) + varint(2 * 8 + 5);
  for (unsigned shift = 0; shift < 32; shift += 8) raw.push_back(static_cast<char>(bits >> shift));
  return bytes_field(1, raw + number_field(3, static_cast<std::uint64_t>(type)));
}
std::string trainer(int model_type) {
  return bytes_field(2, number_field(3, static_cast<std::uint64_t>(model_type)));
}
const std::string kUnknown = piece("<unk>", 0, 2);

std::string base64(std::string_view in) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < in.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = (bits << 8) | (i + k < in.size() ? static_cast<unsigned char>(in[i + k]) : 0U);
    }
    for (unsigned k = 0; k < 4; ++k) {
      out += i + k > in.size() ? '=' : kAlphabet[(bits >> (18 - 6 * k)) & 63U];
    }
  }
  return out;
}
std::string ranks() {
  std::string out;
  for (int b = 0; b < 256; ++b)
    out += fmt::format("{} {}\n", base64(std::string(1, static_cast<char>(b))), b);
  return out + base64("ab") + " 256\n";
}
const std::string kSide =
    R"({"pat_str":"\\w+","special_tokens":{"<s>":300},"also":{"x":{"special_tokens":{"<x>":301}}}})";

}  // namespace

TEST_CASE("SentencePiece: kinds, types, settings, unknown fields skipped") {
  const std::string extra = number_field(99, 7) + bytes_field(98, "zz");
  const std::string normalizer =
      bytes_field(3, number_field(3, 0) + number_field(4, 0) + bytes_field(2, "junk charsmap"));
  const TokenizerSpec spec =
      load_bytes(kUnknown + piece("<s>", 0, 3) + extra + piece("ab", -1.5F, 1) + piece("u", 0, 4) +
                     trainer(2) + normalizer,
                 "file");
  CHECK(spec.kind == FileKind::sentencepiece);
  const auto& model = std::get<Bpe>(spec.model);
  CHECK(model.priority == Bpe::Priority::scores);
  CHECK(model.score.at(2) == -1.5F);
  CHECK(spec.piece_types.at(3) == PieceType::user_defined);
  CHECK(spec.added_tokens.size() == 2);
  const auto& norm = std::get<NormSentencePiece>(spec.normalizers.at(0));
  CHECK_FALSE(norm.add_dummy_prefix);
  CHECK_FALSE(norm.remove_extra_whitespaces);
  CHECK(norm.escape_whitespaces);
  CHECK(norm.charsmap == "junk charsmap");
  CHECK_FALSE(std::get<DecSentencePiece>(spec.decoders.at(0)).denormalizer);
  const TokenizerSpec with_denormalizer = load_bytes(
      kUnknown + piece("a", -1, 1) + bytes_field(5, bytes_field(2, "map") + number_field(3, 0)),
      "file");
  const auto& denormalizer =
      std::get<DecSentencePiece>(with_denormalizer.decoders.at(0)).denormalizer;
  REQUIRE(denormalizer);
  CHECK(denormalizer->charsmap == "map");
  CHECK_FALSE(denormalizer->add_dummy_prefix);
  CHECK(denormalizer->remove_extra_whitespaces);
  CHECK(std::get<Unigram>(load_bytes(kUnknown + piece("a", -1, 1), "file").model).unk_id == 0);
}

TEST_CASE("SentencePiece: what its own engine refuses, and what is not implemented") {
  check_refused(kUnknown + trainer(3), "unsupported", "WORD");
  check_refused(kUnknown + trainer(4), "unsupported", "CHAR");
  check_refused(piece("a", 0, 1), "input", "UNKNOWN");
  check_refused(kUnknown + kUnknown, "input", "UNKNOWN");
  check_refused(kUnknown + piece("", 0, 1), "input", "pieces[1]");
  check_refused(kUnknown + piece("a", 0, 1) + piece("a", 0, 1), "input", "already defined");
  check_refused(kUnknown + piece("a", std::nanf(""), 1), "input", "NaN");
  check_refused(kUnknown + piece("a", INFINITY, 1), "input", "infinite");
  check_refused(kUnknown + piece("<0x00>", 0, 6), "input", "byte_fallback");
  check_refused(kUnknown + bytes_field(2, number_field(35, 1)), "input", "missing");
  check_refused(kUnknown + piece(std::string(8000, 'x'), 0, 1), "input", "8000");
  const std::string whole = kUnknown + piece("ab", -1, 1);
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const std::string got = refusal(whole.substr(0, cut));
    if (cut == kUnknown.size()) {
      CHECK(got == "loaded");
    } else {
      CHECK(got.find("byte") != std::string::npos);
    }
  }
  check_refused(std::string("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11), "input", "byte");
  check_refused(std::string("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 13), "input",
                "byte");
}

TEST_CASE("rank files: definition from the side file, or refused") {
  const TokenizerSpec spec = load_bytes(ranks(), "file", kSide);
  CHECK(spec.kind == FileKind::tiktoken);
  CHECK(std::get<PreSplit>(spec.pre_tokenizers.at(0)).pattern.text == "\\w+");
  CHECK(spec.added_tokens.at(0).id == 300);
  CHECK_FALSE(spec.specials_by_default);
  CHECK(std::get<Bpe>(spec.model).rank.at(256) == 256);
  CHECK(load_bytes(ranks(), "file", kSide, {std::nullopt, "x"}).added_tokens.at(0).content ==
        "<x>");
  CHECK(spec.fingerprint == toktier::base::sha256_hex(ranks() + kSide));
  check_refused(ranks(), "unsupported", "encoding.json");
  check_refused(ranks() + "YWI= 9\n", "input", "line 258", kSide);
  check_refused(ranks() + "YWJj 256\n", "input", "twice", kSide);
  check_refused(ranks() + "YWI= 300\n", "input", "two ranks", kSide);
  check_refused(ranks() + "YWJj 4000000000\n", "input", "limit", kSide);
  check_refused(ranks() + "YWJj 99999999999\n", "input", "line 258", kSide);
  check_refused(ranks() + "YW!j 257\n", "input", "line 258", kSide);
  check_refused("IQ== 0\n", "input", "no rank", kSide);
  CHECK(refusal(ranks() + "= 257\n\n  \r\n", kSide) == "loaded");
  CHECK(refusal(ranks(), "{").find("encoding.json beside it") != std::string::npos);
}

TEST_CASE("tekken: shifted ids, special tokens, cut of the vocabulary") {
  std::string vocab;
  for (int b = 0; b < 258; ++b) {
    const std::string token = b < 256 ? std::string(1, static_cast<char>(b))
                                      : "ab" + std::string(static_cast<std::size_t>(b - 256), 'c');
    vocab += fmt::format(R"({}{{"rank":{},"token_bytes":"{}","token_str":null}})",
                         b == 0 ? "" : ",", b, base64(token));
  }
  const auto file = [&](int size, const std::string& more) {
    return fmt::format(
        R"({{"config":{{"pattern":"x","num_vocab_tokens":258,"default_vocab_size":{},)"
        R"("default_num_special_tokens":3,"version":"v3"}},"vocab":[{}]{}}})",
        size, vocab, more);
  };
  const TokenizerSpec spec = load_bytes(file(260, ""), "file");
  CHECK(spec.kind == FileKind::tekken);
  CHECK(spec.vocab.size() == 257);
  CHECK(spec.vocab.find("ab") == 259);
  CHECK(spec.vocab.find("abc") == kNoToken);
  CHECK(std::get<Bpe>(spec.model).rank.at(259) == 256);
  CHECK(spec.added_tokens.at(1).content == "<s>");
  CHECK(
      load_bytes(file(260, R"(,"special_tokens":[{"rank":1,"token_str":"[B]","is_control":true}])"),
                 "file")
          .added_tokens.at(2)
          .content == "<SPECIAL_2>");
  check_refused(file(262, ""), "input", "258 tokens found");
  check_refused(file(2, ""), "input", "default_vocab_size");
}

TEST_CASE("word pieces: case from the entries or as asked") {
  const std::string base = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  const TokenizerSpec lower = load_bytes(base + "a\n##b \r\n", "file");
  CHECK(lower.vocab.find("##b") == 6);
  CHECK(std::get<NormBert>(lower.normalizers.at(0)).lowercase);
  CHECK(lower.added_tokens.size() == 5);
  CHECK_FALSE(std::get<NormBert>(load_bytes(base + "A\n", "file").normalizers.at(0)).lowercase);
  LoadOptions asked;
  asked.lowercase = true;
  const TokenizerSpec forced = load_bytes(base + "A\n", "file", {}, asked);
  CHECK(std::get<NormBert>(forced.normalizers.at(0)).lowercase);
  CHECK(forced.fingerprint != load_bytes(base + "A\n", "file").fingerprint);
  check_refused("[UNK]\na\n", "unsupported", "[SEP]");
  check_refused(base + "\xFF\n", "input", "not UTF-8 at byte 31");
}

TEST_CASE("foreign files are named") {
  check_refused("GGUF\x03", "unsupported", "GGUF");
  check_refused("PK\x03\x04 archive", "unsupported", "zip");
  check_refused("\x80\x04\x95", "unsupported", "pickle");
  check_refused(std::string("\x10\0\0\0\0\0\0\0{\"__metadata__\":{}}", 26), "unsupported",
                "safetensors");
  check_refused("\x08\x07\x12\x04onnx", "unsupported", "ONNX");
  check_refused("1 '\\x00' 1\n2 'a' 1\n", "unsupported", "RWKV");
  check_refused("#version: 0.2\na b\n", "unsupported", "merges.txt");
  check_refused(R"({"a":0,"b":1})", "unsupported", "vocab.json");
  check_refused(R"({"pat_str":"x","special_tokens":{}})", "unsupported", "encoding.json");
  check_refused(R"({"tokenizer_class":"X"})", "unsupported", "tokenizer_class: \"X\" found, not");
  check_refused(R"({"added_tokens_decoder":{}})", "unsupported", "a tokenizer_config.json, which");
  // Its largest number fits no integer type.
  check_refused(R"({"model_max_length":1000000000000000019884624838656,"tokenizer_class": "X"})",
                "unsupported", "tokenizer_class: \"X\" found, not");
  check_refused(R"({"model_max_length":1000000000000000019884624838656})", "input", "64 bits");
  check_refused("just some text\n", "unsupported", "no known kind");
}
