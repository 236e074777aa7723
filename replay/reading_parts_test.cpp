#include "replay/chat_list.hpp"
#include "replay/json.hpp"
#include "replay/json_values.hpp"
#include "replay/outline.hpp"
#include "replay/read.hpp"
#include "replay/statistics.hpp"
#include "replay/text_lines.hpp"
#include "replay/times.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

using namespace toktier;
using namespace toktier::replay;

namespace {

std::vector<std::string> values_of(std::string_view text, bool* cut_off = nullptr) {
  JsonValues values(io::ByteSource::from_memory(text, "memory"));
  std::vector<std::string> all;
  std::string_view record;
  while (values.next(record)) all.emplace_back(record);
  if (cut_off != nullptr) *cut_off = values.cut_off();
  return all;
}

Message said(Role role, std::string_view text) {
  Message message;
  message.role = role;
  message.parts.push_back({PartKind::text, std::string(text), "", ""});
  return message;
}

Step append(Message message, std::optional<std::int64_t> time = std::nullopt) {
  Step step;
  step.time_ms = time;
  step.messages.push_back(std::move(message));
  return step;
}

}  // namespace

TEST_CASE("times") {
  CHECK(parse_time("1970-01-01T00:00:01.5Z") == 1500);
  CHECK(parse_time("2026-03-21T10:05:59.326Z") == 1774087559326);
  CHECK(parse_time("2026-03-21T12:05:59.326+02:00") == 1774087559326);
  CHECK(parse_time("2026-03-21 10:05:59") == 1774087559000);
  CHECK(parse_time("2024-02-29") == 1709164800000);
  for (const char* bad : {"", "2023-02-29T00:00:00Z", "2026-13-01", "yesterday",
                          "2026-03-21T25:00:00", "2026-03-21X10:05:59", "20260321"})
    CHECK_MESSAGE(!parse_time(bad), bad);
  CHECK(parse_clock("20:56:21") == 75381000);
  CHECK(time_of_number(1757015025.972) == 1757015025972);
  CHECK(time_of_number(1757015025972.0) == 1757015025972);
  CHECK(time_of_number(1757015025972000000.0) == 1757015025972);
  CHECK(!time_of_number(-1.0));
}

TEST_CASE("numbers beyond 64 bits, half surrogates") {
  JsonParser parser;
  Json value;
  REQUIRE(parser.parse_copy(
      R"({"id":226953362384563453245634563456345634563,"x":1e999,"s":"12345678901234567890"})",
      value));
  CHECK(text_at(value, "id") == "226953362384563453245634563456345634563");
  CHECK(text_at(value, "x") == "1e999");
  CHECK(parser.quoted_numbers() == 2);
  REQUIRE(parser.parse_copy(R"({"t":"a\ud83d b"})", value));
  CHECK(text_at(value, "t") == "a\xEF\xBF\xBD b");
  CHECK(parser.replaced_surrogates() == 1);
  CHECK(!parser.parse_copy("{\"a\":01x}", value));
  CHECK(!parser.parse_copy(std::string(100000, '['), value));
  CHECK(!parser.parse_copy("", value));
  std::string out;
  CHECK(quote_long_numbers(R"([18446744073709551616,-1,"\"18446744073709551616",1.5e300])", out) ==
        2);
  CHECK(out == R"(["18446744073709551616",-1,"\"18446744073709551616","1.5e300"])");
  CHECK(quote_long_numbers(
            R"([18446744073709551615,-9223372036854775808,0.12345678901234567890,1e99])", out) ==
        0);
}

TEST_CASE("records of a file") {
  using Strings = std::vector<std::string>;
  bool cut = false;
  CHECK(values_of("", &cut) == Strings{});
  CHECK(values_of(" [ {\"a\":\"]\\\"}\"} , 2,[3] ]\n", &cut) ==
        Strings{"{\"a\":\"]\\\"}\"}", "2", "[3]"});
  CHECK(!cut);
  CHECK(values_of("{\"a\":1}\n\n{\"b\":\n2}{\"c\":3}", &cut) ==
        Strings{"{\"a\":1}", "{\"b\":\n2}", "{\"c\":3}"});
  CHECK(!cut);
  CHECK(values_of("[{\"a\":1},{\"b\"", &cut) == Strings{"{\"a\":1}", "{\"b\""});
  CHECK(cut);
  CHECK(values_of("{\"a\":\"cut\n{\"b\":1}", &cut).back() == "{\"b\":1}");
  CHECK(values_of("\xEF\xBB\xBF{\"a\":1}") == Strings{"{\"a\":1}"});
}

TEST_CASE("outlines") {
  const Outline lines(
      "{\"type\":\"x\",\"m\":{\"role\":\"user\"}}\n{broken\n{\"list\":[{\"a\":1},{\"b\":[2");
  CHECK(lines.text("type") == "x");
  CHECK(lines.text("m.role") == "user");
  CHECK(lines.has("list[].a"));
  CHECK(lines.has("list[].b[]"));
  CHECK(!lines.has("role"));
  CHECK(lines.values() == 2);
  CHECK(Outline("[{\"traj\":[{\"role\":\"user\"").has("[].traj[].role"));
  CHECK(Outline("\"type\" in {\"text\"").values() == 0);
  CHECK(Outline(std::string(3000, '[')).values() == 0);
  CHECK(Outline("a\n# start here\n").line_starts("# start"));
  CHECK(!Outline("a # start here\n").line_starts("# start"));
}

TEST_CASE("names of series") {
  CHECK(series_of("d1/x__round_07.json") == "d1/x__round_#.json");
  CHECK(series_of("a-1757015025.972.json.zst") == "a-#.json.zst");
  CHECK(series_of("d1/messages.json") == "d1/messages.json");
}

TEST_CASE("blocks lose blank lines at their ends only") {
  Block block;
  for (const char* line : {"", " \t", "a", "", " b ", "", "\r"}) block.add(line);
  CHECK(block.take() == "a\n\n b ");
  CHECK(block.blank());
  CHECK(block.take().empty());
}

TEST_CASE("an unknown format is refused with the nearest name") {
  StatisticsSink sink;
  ReadOptions options;
  options.format = "claude-code-json";
  CHECK_THROWS_WITH_AS(TranscriptReader(sink, options), doctest::Contains("claude-code-jsonl"),
                       Error);
}

TEST_CASE("statistics of one session, by hand") {
  StatisticsSink sink;
  Session session;
  session.key = "k";
  session.format = "f";
  session.parent = "p";
  sink.open(session);
  sink.step("k", append(said(Role::system, "0123456789"), 0));  // 10
  sink.step("k", append(said(Role::user, "\xC3\xA9"), 1000));   // 1 character, 2 bytes
  sink.step("k", append(said(Role::assistant, "abc"), 2000));   // call 1 on 11
  sink.step("k", append(said(Role::assistant, "d"), 2500));     // the same call
  sink.step("k", append(said(Role::tool, ""), 7000));           // empty; gap 4500
  sink.step("k", append(said(Role::assistant, "xy"), 7100));    // call 2 on 15
  Step rewind;
  rewind.op = Op::rewind;
  rewind.keep = 2;  // 11 characters are left
  rewind.messages.push_back(said(Role::user, "again"));
  sink.step("k", std::move(rewind));
  sink.step("k", append(said(Role::assistant, "z")));  // call 3 on 16
  Step replace;
  replace.op = Op::replace;
  replace.keep = 3;  // the summary, then "z"
  replace.messages.push_back(said(Role::user, "sum"));
  sink.step("k", std::move(replace));
  sink.close("k");
  const Statistics s = sink.total();
  CHECK(s.sessions == 1);
  CHECK(s.forks == 1);
  CHECK(s.messages == 8);
  CHECK(s.appends == 7);
  CHECK(s.empty_appends == 1);
  CHECK(s.calls == 3);
  CHECK(s.rewinds == 1);
  CHECK(s.rewound_messages == 4);
  CHECK(s.rewound_chars == 6);
  CHECK(s.compactions == 1);
  CHECK(s.compacted_chars == 16);
  CHECK(s.context_chars.max() == 4);
  CHECK(s.all_chars.max() == 23);
  CHECK(s.first_chars.max() == 10);
  CHECK(s.append_bytes.sum() == 14);
  CHECK(s.append_chars.sum() == 13);
  CHECK(s.prompt_chars == 11 + 15 + 16);
  CHECK(s.new_chars == 11 + 4 + 5);
  CHECK(s.gaps.total == 1);
  CHECK(s.gaps.counts[1] == 1);
}

TEST_CASE("quantiles are values that occur") {
  Distribution values;
  CHECK(values.quantile(0.5) == 0);
  for (const std::uint64_t v : {5, 1, 4, 2, 3}) values.add(v);
  CHECK(values.quantile(0.5) == 3);
  CHECK(values.quantile(0.9) == 5);
  CHECK(values.quantile(0) == 1);
  values.add(100);
  CHECK(values.max() == 100);
}

TEST_CASE("hostile bytes are problems, never crashes") {
  const std::string texts[] = {
      std::string(),
      std::string(1, '\0'),
      "[",
      "{",
      "[[[[",
      "{\"history\":",
      "]}",
      "\xFF\xFE",
      std::string(200000, '{'),
      std::string(200000, '['),
      std::string(200000, ']'),
      std::string("\x28\xB5\x2F\xFD garbage"),
      "{\"messages\":[{\"role\":{\"a\":1},\"content\":9}]}",
      "{\"messages\":[{\"role\":\"user\",\"content\":[[[[[[]]]]]]}]}",
      "[{\"conversations\":7},{\"conversations\":[7,{\"from\":1,\"value\":null}]}]",
      "{\"spans\":[1,{\"attributes\":7},{\"attributes\":[7,{\"key\":\"gen_ai.output\"}]}]}",
      "{\"type\":\"session\",\"provider\":1}\n{\"type\":\"compaction\",\"firstKeptEntryIndex\":-1}"
      "\n"
      "{\"type\":\"compaction\",\"firstKeptEntryIndex\":18446744073709551615}",
      "{\"schema_version\":\"ATIF-v1\",\"steps\":[{},7,null]}",
      "session_id,prefix_len,input_len\n1,99999999999999999999,1\n1,2\n"};
  for (const std::string& text : texts) {
    for (const FormatName& format : format_names()) {
      for (const std::string& name : {std::string(), std::string(format.name)}) {
        StatisticsSink sink;
        ReadOptions options;
        options.format = name;
        TranscriptReader reader(sink, options);
        reader.read_bytes(text, "memory");
        reader.finish();
        if (name.empty() && text.empty()) CHECK(sink.problems() == 1);
      }
    }
  }
}
