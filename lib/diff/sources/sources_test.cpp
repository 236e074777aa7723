#include "diff/sources/case_file.hpp"
#include "diff/sources/file_source.hpp"
#include "diff/sources/generators.hpp"
#include "diff/sources/model_names.hpp"
#include "diff/sources/vector_files.hpp"
#include "encode/tokenizer_impl.hpp"
#include "pretok/automaton.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>

using namespace toktier::diff;
using namespace toktier::diff::sources;

namespace {

std::vector<std::string> texts(DocumentSource& source, std::size_t limit = 1'000'000) {
  std::vector<std::string> all;
  Document document;
  while (all.size() < limit && source.next(document)) all.push_back(document.text);
  return all;
}

GeneratorRequest request(std::uint64_t seed) {
  GeneratorRequest r;
  r.seed = seed;
  r.vocabulary.end_id = 4;
  r.vocabulary.text = [](toktier::TokenId id) { return id == 2 ? "" : std::string(id + 1, 'x'); };
  return r;
}

std::filesystem::path scratch() {
  const auto folder = std::filesystem::temp_directory_path() / "toktier_sources_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("exhaustive: every text once, shortest first") {
  const auto source = exhaustive({"a", "\n", "\xC3\xA9"}, 4);
  const auto all = texts(*source);
  CHECK(all.size() == 3 + 9 + 27 + 81);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
  CHECK(all[0] == "a");
  CHECK(all[3] == "aa");
  CHECK(all.back() == "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9");
  CHECK_THROWS_AS(exhaustive({}, 3), toktier::Error);
  CHECK_THROWS_AS(exhaustive({"a", "b"}, 60), toktier::Error);
}

TEST_CASE("code points: all scalar values, no surrogates") {
  const auto source = make_generator("codepoints", request(0));
  CHECK(source->total() == 1'112'064);
  const auto all = texts(*source, 2'000'000);
  CHECK(all.size() == 1'112'064);
  CHECK(all[0xD7FF] == "\xED\x9F\xBF");
  CHECK(all[0xD800] == "\xEE\x80\x80");
  CHECK(all.back() == "\xF4\x8F\xBF\xBF");
}

TEST_CASE("contexts: one document for each code point, six contexts in it") {
  const auto source = make_generator("contexts", request(0));
  CHECK(source->total() == 1'112'064);
  std::uint64_t documents = 0, wrong = 0;
  for (Document document; source->next(document); ++documents) {
    if (document.id == "U+00E9 in six contexts") {
      const std::string c = "\xC3\xA9";
      CHECK(document.text == c + "a\n1" + c + "\n " + c + "\n\n" + c + "\n'" + c + "\na" + c);
    }
    // Six times the code point and eleven other characters.
    const std::string& text = document.text;
    const std::size_t size = (text.size() - 11) / 6;
    if (size * 6 + 11 != text.size() || text.compare(0, size, text, text.size() - size) != 0) {
      ++wrong;
    }
  }
  CHECK(documents == 1'112'064);
  CHECK(wrong == 0);
}

TEST_CASE("files: what a folder holds beside files is counted as left out") {
  const auto folder = scratch();
  std::ofstream(folder / "a.txt") << "a";
  std::filesystem::create_symlink("nothing", folder / "dangling");
  const auto source = from_files({folder.string()}, {});
  CHECK(texts(*source) == std::vector<std::string>{"a"});
  REQUIRE(source->left_out().size() == 1);
  CHECK(source->left_out()[0].first == "folder entry: dangling link");
  CHECK(source->left_out()[0].second == 1);
  CHECK(source->failed() == 0);
}

TEST_CASE("vocabulary: unused ids are counted") {
  const auto source = make_generator("vocab", request(0));
  CHECK(texts(*source) == std::vector<std::string>{"x", "xx", "xxxx"});
  REQUIRE(source->left_out().size() == 1);
  CHECK(source->left_out()[0].second == 1);
}

TEST_CASE("random documents depend on seed and index only") {
  for (const char* name : {"random:500", "vocab-pairs:500"}) {
    CAPTURE(name);
    const auto first = texts(*make_generator(name, request(7)));
    CHECK(first == texts(*make_generator(name, request(7))));
    CHECK(first != texts(*make_generator(name, request(8))));
    CHECK(first.size() > 400);
  }
  CHECK_THROWS_AS(make_generator("random:", request(1)), toktier::Error);
  CHECK_THROWS_AS(make_generator("random:-1", request(1)), toktier::Error);
  CHECK_THROWS_AS(make_generator("codepoints:5", request(1)), toktier::Error);
  CHECK_THROWS_AS(make_generator("rando", request(1)), toktier::Error);
}

TEST_CASE("class alphabets come from the patterns") {
  const auto alphabet =
      class_alphabet(R"('s| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", false, 0);
  CHECK(alphabet.size() >= 6);
  CHECK(std::find(alphabet.begin(), alphabet.end(), " ") != alphabet.end());
  CHECK(std::find(alphabet.begin(), alphabet.end(), "'") != alphabet.end());
  CHECK(class_alphabet("", false, 0).empty());
  CHECK(class_alphabet("(", false, 0).empty());
}

TEST_CASE("case files: texts are made, the rest is counted") {
  const auto folder = scratch();
  const auto path = folder / "cases.jsonl";
  write(
      path,
      R"({"id":"1","tokenizer":"t","text":"plain","expect":[1,2],"note":""})"
      "\n"
      R"({"id":"2","tokenizer":"t","generator":{"concat":["a",{"repeat":{"codepoints":["U+00E9"]},"count":2}]},"note":"With BOS."})"
      "\n"
      "\n"
      R"({"id":"3","tokenizer":"t","generator":{"range":["U+0041","U+0043"],"sep":"-"},"note":""})"
      "\n"
      R"({"id":"4","tokenizer":"t","generator":{"bytes_hex":"61ff"},"note":""})"
      "\n"
      R"({"id":"5","tokenizer":"t","generator":{"utf16_units":["d83d","de00","dbc0"]},"note":""})"
      "\n"
      R"({"id":"6","tokenizer":"t","generator":{"normalize":"NFD","of":"\u00e9"},"note":""})"
      "\n"
      R"({"id":"7","tokenizer":"t","generator":{"lcg":{"seed":11,"alphabet":"ACGT","length":8}},"note":""})"
      "\n"
      R"({"id":"8","tokenizer":"t","generator":{"vocab_entries":"all"},"note":""})"
      "\n"
      R"({"id":"9","tokenizer":"t","op":"append","generator":{"append":["a"]},"note":""})"
      "\n"
      R"({"id":"10","tokenizer":"t","text":"","mutation":"cut","note":""})"
      "\n");
  const CaseFile file = read_case_file(path.string());
  CHECK(file.total == 10);
  REQUIRE(file.cases.size() == 7);
  CHECK(file.cases[0].document.has_quoted);
  CHECK(file.cases[0].document.quoted == std::vector<toktier::TokenId>{1, 2});
  CHECK(file.cases[1].document.text == "a\xC3\xA9\xC3\xA9");
  CHECK(file.cases[1].with_bos);
  CHECK(file.cases[2].document.text == "A-B-C");
  CHECK(file.cases[3].document.text == "a\xFF");
  CHECK(file.cases[4].document.text == "\xF0\x9F\x98\x80\xEF\xBF\xBD");
  CHECK(file.cases[5].document.text == "e\xCC\x81");
  CHECK(file.cases[6].document.text == "ATTAGTCG");
  CHECK(file.left_out.at("case: op append") == 1);
  CHECK(file.left_out.at("case: generator vocab_entries") == 1);
  CHECK(file.left_out.at("case: mutation of a model file") == 1);
  // Nesting has a limit, not a stack.
  std::string deep = "\"a\"";
  for (int i = 0; i < 100; ++i) deep = R"({"repeat":)" + deep + R"(,"count":1})";
  write(path, R"({"id":"1","tokenizer":"t","generator":)" + deep + R"(,"note":""})");
  CHECK_THROWS_AS(read_case_file(path.string()), toktier::Error);
  for (const char* bad :
       {"{", "{}", R"({"id":"1","tokenizer":"t"})", R"({"id":1,"tokenizer":"t","text":"a"})",
        R"({"id":"1","tokenizer":"t","generator":{"repeat":"a","count":99999999999}})",
        R"({"id":"1","tokenizer":"t","generator":{"codepoints":["U+110000"]}})"}) {
    CAPTURE(bad);
    write(path, bad);
    CHECK_THROWS_AS(read_case_file(path.string()), toktier::Error);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("vector files: texts and ids pair up") {
  const auto folder = scratch();
  write(folder / "a.gguf.inp", "one\n__ggml_vocab_test__\n\n\n__ggml_vocab_test__\nlast");
  write(folder / "a.gguf.out", " 1 2\n\n33\n");
  write(folder / "b.gguf.out", " 7\n\n8\n");
  const auto sets = read_vectors(folder.string());
  REQUIRE(sets.size() == 2);
  CHECK(sets[0].documents[0].text == "one");
  CHECK(sets[0].documents[1].text == "\n");
  CHECK(sets[0].documents[1].quoted.empty());
  CHECK(sets[0].documents[2].quoted == std::vector<toktier::TokenId>{33});
  CHECK(sets[1].documents[2].text == "last");
  write(folder / "b.gguf.out", " 7\n\n");
  CHECK_THROWS_AS(read_vectors(folder.string()), toktier::Error);
  write(folder / "b.gguf.out", " 7\nx\n8\n");
  CHECK_THROWS_AS(read_vectors(folder.string()), toktier::Error);
  std::filesystem::remove_all(folder);
}

TEST_CASE("names lead to files, packed or not") {
  const auto folder = scratch();
  std::filesystem::create_directories(folder / "qwen3");
  write(folder / "qwen3" / "tokenizer.json.zst", "x");
  const ModelName* row = find_model_name("Qwen/Qwen3-8B");
  REQUIRE(row != nullptr);
  CHECK(find_model_file(*row, "/no/such:" + folder.string()) ==
        (folder / "qwen3" / "tokenizer.json.zst").string());
  CHECK(!find_model_file(*row, "/no/such"));
  CHECK(find_model_name("nobody/none") == nullptr);
  std::set<std::string_view> names;
  for (const ModelName& name : model_names()) CHECK(names.insert(name.name).second);
  std::filesystem::remove_all(folder);
}

TEST_CASE("files and folders in order") {
  const auto folder = scratch();
  std::filesystem::create_directories(folder / "sub");
  write(folder / "b.txt", "second");
  write(folder / "a.txt", "first");
  write(folder / "sub" / "c.jsonl",
        "{\"id\":\"r1\",\"text\":\"third\"}\n{\"id\":\"r2\",\"text\":\"\"}\n");
  const auto source = from_files({folder.string()}, {});
  CHECK(texts(*source) == std::vector<std::string>{"first", "second", "third", ""});
  CHECK(source->position() == source->total());
  CHECK_THROWS_AS(from_files({"/no/such/file"}, {}), toktier::Error);
  std::filesystem::remove_all(folder);
}

TEST_CASE("every generator gives the same texts for a seed, others for another, and only UTF-8") {
  const auto tokenizer =
      std::make_shared<const toktier::Tokenizer>(toktier::Tokenizer::load("embedded"));
  GeneratorRequest request;
  request.tokenizer = tokenizer;
  request.vocabulary.end_id = 256;
  request.vocabulary.text = [&](toktier::TokenId id) {
    const toktier::TokenId ids[] = {id};
    return tokenizer->decode(ids);
  };
  const auto take = [&](const std::string& spec, std::uint64_t seed, std::size_t most) {
    request.seed = seed;
    const auto source = make_generator(spec, request);
    std::vector<std::string> texts;
    for (Document document; texts.size() < most && source->next(document);) {
      CHECK_FALSE(document.id.empty());
      CHECK(document.origin == spec.substr(0, spec.find(':')));
      texts.push_back(document.text);
    }
    return texts;
  };
  std::size_t rows = 0;
  for (const GeneratorRow& row : generator_table()) {
    CAPTURE(row.name);
    const bool counted = row.default_count != 0;
    const std::string spec = std::string(row.name) + (counted ? ":60" : "");
    const auto texts = take(spec, 1, 60);
    REQUIRE(texts.size() == 60);
    CHECK(texts == take(spec, 1, 60));
    if (counted) {
      CHECK(texts != take(spec, 2, 60));
      // A text depends on its number, not on how many are asked for.
      CHECK(take(std::string(row.name) + ":7", 1, 60) ==
            std::vector<std::string>(texts.begin(), texts.begin() + 7));
    }
    bool all_well_formed = true;
    for (const std::string& text : texts)
      all_well_formed = all_well_formed && !toktier::unicode::find_invalid_utf8(text);
    CHECK(all_well_formed == (row.name != "bytes"));
    ++rows;
  }
  CHECK(rows >= 20);
}

TEST_CASE(
    "the automaton's walks take every transition that a text can, with every class behind it") {
  const auto tokenizer =
      std::make_shared<const toktier::Tokenizer>(toktier::Tokenizer::load("embedded"));
  const auto& pre = tokenizer->impl().pipeline->pre_tokenizer();
  const toktier::pretok::Automaton& automaton = *pre.automaton();
  // State, class, and what follows it: a class or the end.
  std::set<std::array<std::uint32_t, 3>> reachable, taken;
  std::set<std::uint32_t> states = {0};
  for (bool more = true; more;) {
    more = false;
    for (const std::uint32_t state : std::set<std::uint32_t>(states))
      for (std::uint32_t c = 0; c < automaton.end_symbol(); ++c) {
        for (std::uint32_t d = 0; d <= automaton.end_symbol(); ++d) reachable.insert({state, c, d});
        if (automaton.alive(state, c)) more |= states.insert(automaton.next(state, c)).second;
      }
  }
  GeneratorRequest request;
  request.tokenizer = tokenizer;
  const auto source = make_generator("automaton", request);
  for (Document document; source->next(document);) {
    std::uint32_t state = 0;
    for (std::size_t at = 0; at < document.text.size();) {
      const auto d = toktier::unicode::decode(document.text.data() + at);
      at += d.length;
      const std::uint32_t c = automaton.map().of(d.code_point);
      const bool end = at == document.text.size();
      taken.insert({state, c,
                    end ? automaton.end_symbol()
                        : automaton.map().of(
                              toktier::unicode::decode(document.text.data() + at).code_point)});
      if (!automaton.alive(state, c)) break;  // the next piece begins again at the start
      state = automaton.next(state, c);
    }
  }
  CHECK(taken == reachable);
  CHECK(reachable.size() > 50);
}

TEST_CASE("generators that need the tokenizer say so without one") {
  for (const char* name : {"added", "classes", "runs", "automaton"})
    CHECK_THROWS_AS(make_generator(name, {}), toktier::Error);
}
