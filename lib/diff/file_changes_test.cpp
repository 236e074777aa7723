#include "diff/file_changes.hpp"

#include "diff/dominant_script.hpp"

#include <doctest/doctest.h>

using namespace toktier;
using namespace toktier::diff;

namespace {

std::string file(const std::string& vocab, const std::string& merges, const std::string& added = "",
                 const std::string& normalizer = "null") {
  return R"({"added_tokens":[)" + added + R"(],"normalizer":)" + normalizer +
         R"(,"pre_tokenizer":null,"post_processor":null,"decoder":null,"model":{"type":"BPE","vocab":{)" +
         vocab + R"(},"merges":[)" + merges + "]}}";
}

std::vector<FileChange> changes(const std::string& before, const std::string& after) {
  const auto info = [](const std::string& text) { return Tokenizer::load_bytes(text, "x").info(); };
  return file_changes(model::load_bytes(before, "x"), info(before), model::load_bytes(after, "x"),
                      info(after));
}

std::string all(const std::vector<FileChange>& list) {
  std::string out;
  for (const FileChange& change : list)
    out += change.what + "|" + change.before + "|" + change.after + "\n";
  return out;
}

const char* const kVocab = R"("a":0,"b":1,"c":2,"ab":3,"bc":4)";
const char* const kMerges = R"("a b","b c")";

}  // namespace

TEST_CASE("a file written anew has no changes") {
  CHECK(changes(file(kVocab, kMerges),
                file(R"("bc":4,"ab":3,"c":2,"b":1,"a":0)", R"(["a","b"],["b","c"])"))
            .empty());
}

TEST_CASE("entries, merges, added tokens and steps that differ are named") {
  const std::string before = file(kVocab, kMerges);
  CHECK(all(changes(before, file(R"("a":0,"b":1,"c":2,"ab":4,"bc":3)", kMerges))) ==
        "vocabulary||2 entries with another id: \"ab\" 3 -> 4, \"bc\" 4 -> 3\n");
  CHECK(all(changes(before, file(kVocab, R"("b c","a b")"))) ==
        "merges||1 in another order: \"a\"+\"b\"\n");
  const std::string fewer = all(changes(before, file(R"("a":0,"b":1,"c":2,"ab":3)", R"("a b")")));
  CHECK(fewer.find("vocabulary|1 entries gone: \"bc\"|\n") != std::string::npos);
  CHECK(fewer.find("merges|1 gone: \"b\"+\"c\"|\n") != std::string::npos);
  const std::string more = all(changes(file(R"("a":0,"b":1,"c":2,"ab":3)", R"("a b")"), before));
  CHECK(more.find("vocabulary||1 new entries: \"bc\"\n") != std::string::npos);
  CHECK(more.find("merges||1 new: \"b\"+\"c\"\n") != std::string::npos);
  const std::string token =
      R"({"id":9,"content":"<x>","special":true,"lstrip":false,"rstrip":true,"single_word":false,"normalized":false})";
  CHECK(all(changes(before, file(kVocab, kMerges, token)))
            .find("added token \"<x>\"||id 5 special rstrip") != std::string::npos);
  CHECK(all(changes(before, file(kVocab, kMerges, "", R"({"type":"NFC"})")))
            .find("normalizer|none|NFC") != std::string::npos);
}

TEST_CASE("many entries are counted and the first few named") {
  std::string vocab = kVocab;
  for (int i = 0; i < 9; ++i) vocab += ",\"x" + std::to_string(i) + "\":" + std::to_string(10 + i);
  const std::string text = all(changes(file(kVocab, kMerges), file(vocab, kMerges)));
  CHECK(text.find("9 new entries: \"x0\", \"x1\", \"x2\", \"x3\", \"x4\", ...") !=
        std::string::npos);
}

TEST_CASE("scripts: that of most letters") {
  CHECK(dominant_script("plain words, caf\xC3\xA9") == "Latin");
  CHECK(dominant_script("\xD0\xBF\xD1\x80\xD0\xB8 ok") == "Cyrillic");
  CHECK(dominant_script("\xE4\xB8\xAD\xE6\x96\x87\xE3\x80\x82") == "Han");
  CHECK(dominant_script("\xE6\x97\xA5\xE6\x9C\xAC\xE3\x81\xAE") == "Japanese");
  CHECK(dominant_script("\xED\x95\x9C\xEA\xB5\xAD") == "Hangul");
  CHECK(dominant_script("12 + 3 = \xF0\x9F\x98\x80") == "none");
  CHECK(dominant_script("") == "none");
  CHECK(dominant_script("ab\xD0\xBF\xD1\x80\xE0\xB8\x81\xE0\xB8\x82") == "several");
  CHECK(dominant_script("abc\xFF\xD0\xBF\xD0\xBF\xD0\xBF\xD0\xBF\xD0\xBF") == "Latin");
}
