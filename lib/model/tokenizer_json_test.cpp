#include "model/testing/expect_error.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace toktier::model;  // NOLINT(google-build-using-namespace)
using toktier::TokenId;
using toktier::model::testing::check_refused;
using toktier::model::testing::refusal;

namespace {

const std::string kBpe =
    R"("model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"abb":3},"merges":["a b",["x"]]})";

std::string bpe(const std::string& merges, const std::string& more = "",
                const std::string& vocab = R"({"a":0,"b":1,"ab":2,"abb":3})") {
  return fmt::format(R"({{"model":{{"type":"BPE","vocab":{},"merges":{}{}}}}})", vocab, merges,
                     more);
}

std::string with(const std::string& part) {
  return "{" + part + R"(,"model":{"vocab":{"a":0,"b":1},"merges":[]}})";
}

TokenizerSpec load_text(const std::string& text) { return load_bytes(text, "file"); }

}  // namespace

TEST_CASE("merges: pairs and lines, results, the last of a pair listed twice stays in the list") {
  for (const char* merges : {R"(["a b","ab b","a b"])", R"([["a","b"],["ab","b"],["a","b"]])",
                             R"(["#version: 0.2","a b","ab b","a b"])"}) {
    const TokenizerSpec spec = load_text(bpe(merges));
    const auto& list = std::get<Bpe>(spec.model).merges;
    REQUIRE(list.size() == 3);
    CHECK(list[0].result == 2);
    CHECK(list[1].left == 2);
    CHECK(list[1].right == 1);
    CHECK(list[1].result == 3);
    CHECK(list[2].result == 2);
  }
  // The prefix is taken off the right part by its length.
  const TokenizerSpec spec = load_text(
      bpe(R"(["a ##b"])", R"(,"continuing_subword_prefix":"##")", R"({"a":0,"##b":1,"ab":7})"));
  CHECK(std::get<Bpe>(spec.model).merges[0].result == 7);
}

TEST_CASE("scores of a Unigram model are the reference's numbers, not the nearest doubles") {
  const TokenizerSpec spec = load_text(
      R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["a",-11.198390007019043],["b",-1]]}})");
  const auto& score = std::get<Unigram>(spec.model).score;
  REQUIRE(score.size() == 2);
  CHECK(score[0] == -11.198390007019045);
  CHECK(score[0] != -11.198390007019043);
  CHECK(score[1] == -1.0);
}

TEST_CASE("each switch of a BPE model is read, and off where it is absent") {
  const auto model = [](const char* more) {
    return std::get<Bpe>(load_text(bpe(R"(["a b"])", more)).model);
  };
  for (const char* more : {"", R"(,"byte_fallback":false,"fuse_unk":null,"ignore_merges":false)"}) {
    const Bpe off = model(more);
    CHECK_FALSE(off.byte_fallback);
    CHECK_FALSE(off.fuse_unk);
    CHECK_FALSE(off.ignore_merges);
  }
  CHECK(model(R"(,"byte_fallback":true)").byte_fallback);
  CHECK(model(R"(,"fuse_unk":true)").fuse_unk);
  CHECK(model(R"(,"ignore_merges":true)").ignore_merges);
}

TEST_CASE("merges that the reference refuses are refused with their place") {
  check_refused(bpe(R"(["a b","a c"])"), "input",
                "model.merges[1]: \"c\" is not in the vocabulary");
  check_refused(bpe(R"(["b a"])"), "input", "model.merges[0]: \"ba\" is not in the vocabulary");
  check_refused(bpe(R"(["a  b"])"), "input", "model.merges[0]");
  // A line has one blank, even where both parts on one side of a second one are tokens.
  const std::string blanks = R"({"a ":0,"b":1,"a b":2," a":3,"b a":4})";
  check_refused(bpe(R"(["a  b"])", "", blanks), "input", "model.merges[0]");
  check_refused(bpe(R"(["b  a"])", "", blanks), "input", "model.merges[0]");
  CHECK(std::get<Bpe>(load_text(bpe(R"([["a ","b"]])", "", blanks)).model).merges.size() == 1);
  check_refused(bpe(R"(["ab"])"), "input", "model.merges[0]");
  check_refused(bpe(R"([["a","b"],"a b"])"), "input", "model.merges[1]");
  check_refused(bpe(R"(["a b",["a","b"]])"), "input", "model.merges[1]");
  check_refused(bpe(R"([["a","b","c"]])"), "input", "model.merges[0]");
  check_refused(bpe(R"(["a b"])", R"(,"continuing_subword_prefix":"###")"), "input",
                "shorter than");
  check_refused("{" + kBpe + "}", "input", "model.merges[1]");
}

TEST_CASE("vocabulary: ids, limits, repeated keys") {
  const std::string none = "[]";
  check_refused(bpe(none, "", R"({"a":4000000000})"), "input", "model.vocab[\"a\"]");
  check_refused(bpe(none, "", R"({"a":16777216})"), "input", "16777215");
  check_refused(bpe(none, "", R"({"a":-1})"), "input", "model.vocab[\"a\"]");
  check_refused(bpe(none, "", R"({"a":1.0})"), "input", "1.0");
  check_refused(bpe(none, "", R"({"a":1e999})"), "input", "number");
  check_refused(bpe(none, "", R"({"a":123456789012345678901234567890})"), "input", "64 bits");
  check_refused(bpe(none, "", R"({"a":1,"b":1})"), "unsupported", "id 1 already belongs to \"a\"");
  const TokenizerSpec spec = load_text(bpe(none, "", R"({"a":5,"b":1,"a":2})"));
  CHECK(spec.vocab.find("a") == 2);
  CHECK_FALSE(spec.vocab.has(5));
  CHECK(spec.vocab.size() == 2);
  CHECK(load_text(bpe(none, "", R"({"a":16777215})")).vocab.end_id() == 16777216);
}

TEST_CASE("dropout: none and zero load, anything else is refused by name") {
  CHECK(refusal(bpe("[]", R"(,"dropout":null)")) == "loaded");
  CHECK(refusal(bpe("[]", R"(,"dropout":0.0)")) == "loaded");
  check_refused(bpe("[]", R"(,"dropout":0.1)"), "unsupported", "model.dropout: 0.1");
  check_refused(bpe("[]", R"(,"dropout":2)"), "input", "model.dropout");
}

TEST_CASE("a model without a tag is what its fields fit, in the reference's order") {
  CHECK(std::holds_alternative<Bpe>(load_text(R"({"model":{"vocab":{"a":0},"merges":[]}})").model));
  CHECK(std::holds_alternative<WordPiece>(
      load_text(R"({"model":{"vocab":{"a":0},"unk_token":"a","continuing_subword_prefix":"##",)"
                R"("max_input_chars_per_word":9}})")
          .model));
  CHECK(std::holds_alternative<WordLevel>(
      load_text(R"({"model":{"vocab":{"a":0},"unk_token":"a"}})").model));
  CHECK(std::holds_alternative<Unigram>(
      load_text(R"({"model":{"vocab":[["a",-1]],"unk_id":0}})").model));
  // Broken as BPE, fitting as WordLevel: the reference takes it.
  CHECK(std::holds_alternative<WordLevel>(
      load_text(R"({"model":{"vocab":{"a":0},"unk_token":"a","merges":["x y"]}})").model));
  check_refused(R"({"model":{"vocab":{"a":0}}})", "input", "not WordLevel because");
  check_refused(R"({"model":{"type":"bpe","vocab":{},"merges":[]}})", "unsupported", "model.type");
  check_refused(R"({"model":{"type":"WordPiece","vocab":{}}})", "input", "unk_token");
  check_refused(R"({"model":{"type":"Unigram","vocab":[["a",-1]],"unk_id":1}})", "input",
                "model.unk_id");
  check_refused(R"({"version":"1.0","added_tokens":[]})", "input", "model");
}

TEST_CASE("components: defaults, old forms, nesting, refusals") {
  const TokenizerSpec spec = load_text(with(
      R"("normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Sequence","normalizers":)"
      R"([{"type":"Lowercase"},{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":false,)"
      R"("lowercase":false}]},{"strip_left":false,"strip_right":true}]},)"
      R"("pre_tokenizer":{"type":"Metaspace","replacement":"_","add_prefix_space":true,"str_rep":"_"},)"
      R"("decoder":{"type":"Sequence","decoders":[]},)"
      R"("post_processor":{"sep":["s",5],"cls":["c",4]})"));
  REQUIRE(spec.normalizers.size() == 4);
  CHECK(std::holds_alternative<NormLowercase>(spec.normalizers[1]));
  CHECK_FALSE(std::get<NormBert>(spec.normalizers[2]).strip_accents.has_value());
  CHECK_FALSE(std::get<NormStrip>(spec.normalizers[3]).left);
  const auto& meta = std::get<PreMetaspace>(spec.pre_tokenizers.at(0));
  CHECK(meta.prepend_scheme == PrependScheme::always);
  CHECK(meta.split);
  // An empty chain is not "no decoder": it joins without blanks.
  CHECK(std::holds_alternative<DecFuse>(spec.decoders.at(0)));
  CHECK(std::get<PostBert>(spec.post_processors.at(0)).sep == 5);

  const TokenizerSpec appended = load_text(with(R"("normalizer":{"type":"Append","append":"x"})"));
  CHECK(std::get<NormAppend>(appended.normalizers.at(0)).text == "x");
  REQUIRE(!appended.notes.empty());
  CHECK(appended.notes.front().find("in no checked version of the reference") != std::string::npos);
  // What the reference reads by its fields stays what it is there.
  const TokenizerSpec prepended =
      load_text(with(R"("normalizer":{"type":"Append","append":"x","prepend":"y"})"));
  CHECK(std::holds_alternative<NormPrepend>(prepended.normalizers.at(0)));
  check_refused(with(R"("normalizer":{"type":"Append"})"), "unsupported",
                "\"Append\" is not known");
  check_refused(with(R"("normalizer":{"type":"Unheard"})"), "unsupported",
                "normalizer.type: normalizer \"Unheard\"");
  check_refused(with(R"("pre_tokenizer":{"type":"Unheard"})"), "unsupported", "pre_tokenizer.type");
  check_refused(with(R"("pre_tokenizer":{"add_prefix_space":true,"trim_offsets":true})"),
                "unsupported", "without a type");
  check_refused(with(R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true})"), "input",
                "trim_offsets");
  check_refused(with(R"("pre_tokenizer":{"type":"Metaspace","replacement":"__"})"), "input",
                "one character");
  check_refused(
      with(R"("pre_tokenizer":{"type":"Metaspace","replacement":"_","add_prefix_space":false})"),
      "input", "add_prefix_space");
  check_refused(with(R"("pre_tokenizer":{"type":"FixedLength","length":0})"), "input", "panic");
  check_refused(with(R"("decoder":{"type":"Unheard"})"), "unsupported", "decoder.type");
  check_refused(with(R"("post_processor":{"type":"Unheard"})"), "unsupported", "post_processor");
  check_refused(
      with(R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x",)"
           R"("type_id":0}}],"pair":[],"special_tokens":{}})"),
      "input", "special_tokens");
  check_refused(with(R"("version":"2.0")"), "input", "version");
  check_refused(
      with(R"("truncation":{"max_length":1,"max_length":2,"strategy":"LongestFirst","stride":0})"),
      "input", "twice");
}

TEST_CASE("added tokens get the reference's ids, whatever the file says") {
  const auto token = [](TokenId id, const std::string& content, bool special) {
    return fmt::format(
        R"({{"id":{},"content":"{}","single_word":false,"lstrip":false,"rstrip":false,)"
        R"("normalized":false,"special":{}}})",
        id, content, special);
  };
  const TokenizerSpec spec =
      load_text(R"({"added_tokens":[)" + token(99, "new", false) + "," + token(98, "b", true) +
                "," + token(7, "", true) + "," + token(97, "newer", true) + "," +
                token(99, "new", true) + R"(],"model":{"vocab":{"a":0,"b":9},"merges":[]}})");
  REQUIRE(spec.added_tokens.size() == 4);  // the empty one is ignored
  CHECK(spec.added_tokens[0].content == "new");
  CHECK(spec.added_tokens[0].id == 2);
  CHECK(spec.added_tokens[1].id == 9);
  CHECK(spec.added_tokens[2].id == 3);
  CHECK(spec.added_tokens[3].content == "new");  // listed again, with the same id
  CHECK(spec.added_tokens[3].id == 2);
  CHECK(spec.added_tokens[3].special);
  CHECK(spec.notes.size() >= 4);
  check_refused(
      R"({"added_tokens":[{"id":1,"content":"x"}],"model":{"vocab":{"a":0},"merges":[]}})", "input",
      "added_tokens[0].single_word");
}

TEST_CASE("hostile JSON is refused, deep nesting without deep recursion") {
  std::string deep = R"({"normalizer":)";
  for (int i = 0; i < 100000; ++i) deep += R"({"type":"Sequence","normalizers":[)";
  check_refused(deep, "input", "JSON");
  check_refused(std::string(1000000, '['), "unsupported", "no known kind");
  check_refused("{\"a\":" + std::string(1000000, '['), "input", "JSON");
  check_refused("{\"model\":{\"vocab\":{\"\xFF\":0},\"merges\":[]}}", "input", "UTF-8");
  check_refused(R"({"model":{"vocab":{"\ud800":0},"merges":[]}})", "input", "JSON");
  check_refused("\xEF\xBB\xBF{}", "input", "byte order mark");
  check_refused("{} {}", "input", "JSON");
  check_refused("", "input", "empty");
}

TEST_CASE("fields that the reference ignores are noted") {
  const TokenizerSpec spec = load_text(with(R"("extra":{"x":1})"));
  REQUIRE(spec.notes.size() >= 1);
  bool noted = false;
  for (const std::string& note : spec.notes)
    noted = noted || note.find("field extra") != std::string::npos;
  CHECK(noted);
}
