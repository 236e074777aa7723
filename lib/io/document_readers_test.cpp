#include "io/document_readers.hpp"

#include "io/inputs.hpp"
#include "io/testing/scratch.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <map>
#include <sys/stat.h>
#include <tuple>
#include <vector>

using namespace toktier;      // NOLINT(google-build-using-namespace)
using namespace toktier::io;  // NOLINT(google-build-using-namespace)
using toktier::io::testing::pack;
using toktier::io::testing::ScratchFolder;

namespace {

std::vector<Document> all(DocumentReader& reader) {
  std::vector<Document> out;
  Document document;
  while (reader.next(document)) out.push_back(document);
  CHECK_FALSE(reader.next(document));
  return out;
}

std::vector<Document> read(std::string_view bytes, RecordOptions options) {
  return all(*read_documents(ByteSource::from_memory(bytes, "f"), "f", options));
}

RecordOptions form(RecordForm f) {
  RecordOptions out;
  out.form = f;
  return out;
}

std::string error_of(std::string_view bytes, RecordOptions options,
                     ErrorCode code = ErrorCode::input) {
  try {
    (void)read(bytes, std::move(options));
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("text: one document, bytes untouched") {
  const std::string bytes("a\r\n\0\xFF z", 7);
  const auto documents = read(bytes, form(RecordForm::text));
  REQUIRE(documents.size() == 1);
  CHECK(documents[0].text == bytes);
  CHECK(documents[0].id == "f");
  CHECK(documents[0].line == 0);
  CHECK(read("", form(RecordForm::text)).size() == 1);
}

TEST_CASE("lines: each line, with or without a final newline") {
  const auto documents = read("one\r\n\ntwo\n three", form(RecordForm::lines));
  REQUIRE(documents.size() == 4);
  CHECK(documents[0].text == "one");
  CHECK(documents[1].text.empty());
  CHECK(documents[3].text == " three");
  CHECK(documents[3].id == "f:4");
  CHECK(documents[3].line == 4);
  CHECK(read("one\n", form(RecordForm::lines)).size() == 1);
  CHECK(read("", form(RecordForm::lines)).empty());
  const std::string wide(3'000'000, 'x');
  CHECK(read(wide + "\n" + wide, form(RecordForm::lines))[1].text == wide);
}

TEST_CASE("jsonl: escapes, pairs, blank lines, pointers, ids") {
  const auto documents = read(
      "{\"id\":\"a\",\"text\":\"\\u00e9\\ud83e\\udd99\\n\\u0000\",\"lang\":\"fr\"}\n"
      "\n  \r\n"
      "{\"text\":\"second\",\"id\":7}\n"
      "{ \"text\" : \"last\", \"id\": null }",
      form(RecordForm::jsonl));
  REQUIRE(documents.size() == 3);
  CHECK(documents[0].text == std::string("\xC3\xA9\xF0\x9F\xA6\x99\n\0", 8));
  CHECK(documents[0].lang == "fr");
  CHECK(documents[1].id == "7");
  CHECK(documents[1].line == 4);
  CHECK(documents[1].lang.empty());
  CHECK(documents[2].id == "f:5");
  RecordOptions deep = form(RecordForm::jsonl);
  deep.text_pointer = "/messages/1/a~1b";
  CHECK(read("{\"messages\":[0,{\"a/b\":\"here\"}]}", deep)[0].text == "here");
  RecordOptions bad = form(RecordForm::jsonl);
  bad.text_pointer = "text";
  CHECK(contains(error_of("{}", bad, ErrorCode::usage), "JSON pointer"));
}

TEST_CASE("jsonl: errors name file and line") {
  const std::string good = "{\"text\":\"x\"}\n";
  const auto jsonl = form(RecordForm::jsonl);
  for (const auto& [line, part] : std::vector<std::pair<std::string, std::string>>{
           {"{\"text\":\"x\"", "not a JSON object"},
           {"{\"text\":\"x\"} {}", "not a JSON object"},
           {"[1]", "not a JSON object"},
           {"{\"other\":1}", "no field /text"},
           {"{\"text\":3}", "not a string"},
           {"{\"text\":\"a\xFF\"}", "not UTF-8"},
           {"{\"text\":\"x\",\"id\":[1]}", "/id"},
           {"{\"text\":\"\\ud800\"}", "surrogate"},
           {"{\"text\":\"\\udc00\\ud800 \"}", "surrogate"}}) {
    const std::string message = error_of(good + "\n" + line + "\n" + good, jsonl);
    CAPTURE(line);
    CHECK(contains(message, "f:3"));
    CHECK(contains(message, part));
  }
  RecordOptions replace = jsonl;
  replace.ill_formed = IllFormed::replace;
  CHECK(read("{\"text\":\"a\\ud800b\\\\ud800\\ud83e\\udd99\\udc00\"}", replace)[0].text ==
        "a\xEF\xBF\xBD"
        "b\\ud800\xF0\x9F\xA6\x99\xEF\xBF\xBD");
}

TEST_CASE("automatic form looks at the first line") {
  const auto automatic = form(RecordForm::automatic);
  CHECK(read("{\"text\":\"x\"}\n{\"text\":\"y\"}\n", automatic).size() == 2);
  CHECK(read("{\"body\":\"x\"}\n{\"body\":\"y\"}\n", automatic).size() == 1);
  CHECK(read("{\n \"text\": \"x\"}\n", automatic).size() == 1);
  CHECK(read("int main() {}\n", automatic).size() == 1);
  const std::string wide = "{\"text\":\"" + std::string(2'000'000, 'x') + "\"}\n";
  CHECK(read(wide + wide, automatic).size() == 2);
}

TEST_CASE("inputs: directories, globs, lists, order") {
  const ScratchFolder folder;
  folder.write("b/2.txt", "two");
  folder.write("b/1.txt", "one");
  folder.write("b/sub/3.txt", pack("three"));
  folder.write("a[1].txt", "bracket");
  folder.write("c.jsonl", "{\"text\":\"x\"}\n{\"text\":\"y\"}");
  InputOptions options;
  options.recursive = true;
  options.paths = {folder.path("c.jsonl"), folder.path("b"), folder.path("a[1].txt")};
  auto documents = all(*read_inputs(options));
  REQUIRE(documents.size() == 6);
  std::string texts;
  for (const Document& d : documents) texts += d.text + ",";
  CHECK(texts == "x,y,one,two,three,bracket,");
  CHECK(documents[2].id == folder.path("b/1.txt"));
  options.recursive = false;
  options.paths = {folder.path("b/*.txt")};
  CHECK(list_inputs(options) ==
        std::vector<std::string>{folder.path("b/1.txt"), folder.path("b/2.txt")});
  options.paths = {};
  options.files_from =
      folder.write("list", folder.path("b/2.txt") + "\r\n\n" + folder.path("b/1.txt"));
  CHECK(list_inputs(options) ==
        std::vector<std::string>{folder.path("b/2.txt"), folder.path("b/1.txt")});
  options.nul_separated = true;
  options.files_from = folder.write("list0", folder.path("b/2.txt") + std::string(1, '\0'));
  CHECK(list_inputs(options) == std::vector<std::string>{folder.path("b/2.txt")});
  for (const std::string& wrong : {folder.path("b"), folder.path("none"), folder.path("*.none")}) {
    InputOptions bad;
    bad.paths = {wrong};
    CHECK_THROWS_AS((void)list_inputs(bad), Error);
  }
}

TEST_CASE("inputs: what a folder holds beside files is passed by and counted") {
  const ScratchFolder folder;
  folder.write("in/a.txt", "a");
  folder.write("in/sub/b.txt", "b");
  folder.write("elsewhere/c.txt", "c");
  const auto link = [&](const char* to, const char* name) {
    std::filesystem::create_symlink(to, folder.path(name));
  };
  link("a.txt", "in/link.txt");  // a link to a file is that file
  link("nothing", "in/dangling");
  link("nothing", "in/sub/dangling");
  link("../elsewhere", "in/folder");
  REQUIRE(::mkfifo(folder.path("in/fifo").c_str(), 0600) == 0);
  InputOptions options;
  options.recursive = true;
  options.paths = {folder.path("in"), folder.path("elsewhere")};
  Skipped skipped;
  CHECK(list_inputs(options, nullptr, &skipped) ==
        std::vector<std::string>{folder.path("in/a.txt"), folder.path("in/link.txt"),
                                 folder.path("in/sub/b.txt"), folder.path("elsewhere/c.txt")});
  CHECK(skipped == Skipped{{"FIFO", 1}, {"dangling link", 2}, {"link to a folder", 1}});
  CHECK(describe(skipped) ==
        "4 entries of folders skipped: 1 FIFO, 2 dangling link, 1 link to a folder");
  CHECK(describe({{"socket", 1}}) == "1 entry of a folder skipped: 1 socket");
  CHECK(describe({}).empty());
  CHECK(list_inputs(options).size() == 4);
}

TEST_CASE("tar: members made by the system's tar, in three formats, packed and cut") {
  const ScratchFolder folder;
  const std::string long_name =
      std::string(60, 'n') + "/" + std::string(60, 'n') + "/" + std::string(90, 'm') + ".txt";
  folder.write("in/one.txt", "one");
  folder.write("in/" + long_name, std::string(1500, 'l'));
  folder.write("in/two.jsonl", "{\"text\":\"x\"}\n{\"text\":\"y\"}\n");
  folder.write("in/packed", pack("inside"));
  folder.write("in/empty", "");
  std::size_t made = 0;
  for (const std::string format : {"gnu", "pax", "ustar"}) {
    const std::string archive = folder.path(format + ".tar");
    const std::string command = "cd '" + folder.path("in") + "' && tar --format=" + format +
                                " --sort=name -cf '" + archive + "' . 2>/dev/null";
    if (std::system(command.c_str()) != 0) continue;
    ++made;
    RecordOptions options;
    std::map<std::string, std::size_t> sizes;
    for (const Document& d : all(*read_file(archive, options))) sizes[d.id] = d.text.size();
    CHECK(sizes.size() == 6);
    CHECK(sizes[archive + "!./one.txt"] == 3);
    CHECK(sizes[archive + "!./" + long_name] == 1500);
    CHECK(sizes[archive + "!./two.jsonl:2"] == 1);
    CHECK(sizes[archive + "!./packed"] == 6);
    const std::string bytes = read_all(archive);
    const std::string packed = folder.write("packed.bin", pack(bytes));
    CHECK(all(*read_file(packed, options)).size() == 6);
    // Cut inside a member, and a damaged header.
    const std::string cut = folder.write("cut.tar", std::string_view(bytes).substr(0, 1500));
    CHECK_THROWS_AS(all(*read_file(cut, options)), Error);
    std::string damaged = bytes;
    damaged[512 + 30] = static_cast<char>(damaged[512 + 30] ^ 1);
    const std::string path = folder.write("damaged.tar", damaged);
    CHECK_THROWS_AS(all(*read_file(path, options)), Error);
  }
  MESSAGE("archives read: " << made << ", skipped: " << 3 - made);
}

TEST_CASE("shared corpora: documents and text bytes as their list says") {
  const auto shared = toktier::io::testing::shared_folder();
  if (!shared || !std::filesystem::exists(*shared / "corpora")) {
    MESSAGE("skipped: 8 corpus files (no shared data)");
    return;
  }
  constexpr std::size_t kDocuments[] = {1578, 1454, 1302, 1515, 1379, 1534, 1284, 1018};
  constexpr std::size_t kBytes[] = {8400397, 8218186, 8143904, 9532908,
                                    8143080, 8216090, 8153047, 6223686};
  for (int shard = 0; shard < 8; ++shard) {
    const std::string path =
        (*shared / "corpora" / ("corpus-00" + std::to_string(shard) + ".jsonl.zst")).string();
    const auto reader = read_file(path, {});
    Document document;
    std::size_t documents = 0;
    std::size_t bytes = 0;
    while (reader->next(document)) {
      ++documents;
      bytes += document.text.size();
      REQUIRE(document.id.starts_with("s-"));
      REQUIRE_FALSE(document.lang.empty());
    }
    CAPTURE(path);
    CHECK(documents == kDocuments[shard]);
    CHECK(bytes == kBytes[shard]);
  }
}

TEST_CASE("after an error the next record or file follows; behind damage there is nothing") {
  const auto outcome = [](DocumentReader& reader) {
    std::string out;
    for (Document document; out.size() < 40;) {
      try {
        if (!reader.next(document)) break;
        out += document.text;
      } catch (const Error&) {
        out += '!';
      }
    }
    return out;
  };
  const std::string records = "{\"text\":\"a\"}\n{\n{\"text\":1}\n{\"text\":\"b\"}\n";
  const auto reader =
      read_documents(ByteSource::from_memory(records, "f"), "f", form(RecordForm::jsonl));
  CHECK(outcome(*reader) == "a!!b");

  const ScratchFolder folder;
  const std::string good = folder.write("good", "g"), bad = folder.write("bad", records);
  const std::string cut = folder.write("cut.zst", pack("some text").substr(0, 15));
  const auto files = [&](std::vector<std::string> paths, RecordForm f) {
    return outcome(*read_files(std::move(paths), form(f)));
  };
  CHECK(files({folder.path("none"), good, cut, good}, RecordForm::text) == "!g!g");
  CHECK(files({cut, good}, RecordForm::lines) == "!g");
  CHECK(files({cut, bad}, RecordForm::jsonl) == "!a!!b");
}

TEST_CASE("a JSON line that is not UTF-8 is replaced part by part, anywhere in it, escapes too") {
  RecordOptions options = form(RecordForm::jsonl);
  options.ill_formed = IllFormed::replace;
  const std::string mark = "\xEF\xBF\xBD";
  // A cut sequence is one part, bytes that begin none are one each.
  const auto documents = read(
      "{\"id\":\"i\xFF\",\"text\":\"\xE2\x82 "
      "\xF0\x9F\x98\x80\xC0\xAF\\ud800\\n\"}\n{\"text\":\"b\"}\n",
      options);
  REQUIRE(documents.size() == 2);
  CHECK(documents[0].id == "i" + mark);
  CHECK(documents[0].text == mark + " \xF0\x9F\x98\x80" + mark + mark + mark + "\n");
  CHECK_FALSE(documents[0].not_utf8);
  CHECK(documents[1].text == "b");
  // Outside of strings there is nothing that U+FFFD could stand for.
  CHECK(contains(error_of("{\"text\":\"b\"\xFF}\n", options), "not a JSON object"));
  // The form is known in spite of such a first line.
  options.form = RecordForm::automatic;
  CHECK(read("{\"text\":\"\xFF\"}\n{\"text\":\"b\"}\n", options).size() == 2);
  options.ill_formed = IllFormed::error;
  CHECK(contains(error_of("{\"text\":\"\xFF\"}\n", options), "the line is not UTF-8"));
}

TEST_CASE("lone surrogates: refused, replaced, or marked") {
  const std::string records =
      "{\"text\":\"a\\ud800\"}\n{\"text\":\"b\"}\n{\"text\":\"\xFF\"}\n{\"text\":\"c\"}\n";
  RecordOptions options = form(RecordForm::jsonl);
  options.ill_formed = IllFormed::mark;
  const auto documents = read(records, options);
  REQUIRE(documents.size() == 4);
  CHECK(documents[0].not_utf8);
  CHECK_FALSE(documents[1].not_utf8);
  CHECK(documents[2].not_utf8);
  CHECK(documents[2].line == 3);
  CHECK_FALSE(documents[3].not_utf8);
  CHECK(documents[3].text == "c");
  options.ill_formed = IllFormed::replace;
  const auto replaced = read(records, options);
  REQUIRE(replaced.size() == 4);
  CHECK(replaced[0].text == "a\xEF\xBF\xBD");
  CHECK(replaced[2].text == "\xEF\xBF\xBD");
  CHECK_FALSE(replaced[2].not_utf8);
  options.ill_formed = IllFormed::error;
  CHECK(contains(error_of(records, options), "surrogate"));
}
