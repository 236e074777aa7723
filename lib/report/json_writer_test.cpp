#include "report/json_writer.hpp"

#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <limits>
#include <random>

using toktier::report::append_json_string;
using toktier::report::base64;
using toktier::report::JsonWriter;

TEST_CASE("nested values get their commas") {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("a", 1).field("b", "x\"y\n").key("c").begin_array();
  json.value(true).value(-2).null().begin_object().end_object().end_array();
  json.field("d", 0.5).field("e", std::numeric_limits<double>::infinity());
  json.field("f", std::uint64_t{18446744073709551615ULL}).end_object();
  CHECK(out ==
        R"({"a":1,"b":"x\"y\n","c":[true,-2,null,{}],"d":0.5,"e":null,"f":18446744073709551615})");
}

TEST_CASE("misuse is refused, not written") {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  CHECK_THROWS_AS(json.value(1), toktier::Error);
  CHECK_THROWS_AS(json.end_array(), toktier::Error);
  json.key("k");
  CHECK_THROWS_AS(json.key("l"), toktier::Error);
  CHECK_THROWS_AS(json.end_object(), toktier::Error);
}

TEST_CASE("any bytes give JSON that another parser reads") {
  std::mt19937 random(20240917);
  simdjson::dom::parser parser;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes(random() % 24, '\0');
    // Half of the time few distinct bytes, so that valid and cut sequences both occur.
    static constexpr unsigned char kHot[] = {0,    0x22, 0x5C, 0x7F, 0x80, 0xC3, 0xA9, 0xE2, 0x82,
                                             0xAC, 0xED, 0xA0, 0xF0, 0x9F, 0x98, 0x80, 0xFF, 'a'};
    for (char& c : bytes) {
      c = static_cast<char>(round % 2 == 0 ? kHot[random() % sizeof kHot] : random() % 256);
    }
    std::string json;
    append_json_string(json, bytes);
    simdjson::dom::element element;
    REQUIRE(parser.parse(json).get(element) == simdjson::SUCCESS);
    std::string_view text;
    REQUIRE(element.get(text) == simdjson::SUCCESS);
    std::string again;
    append_json_string(again, text);
    CHECK(again == json);
  }
}

TEST_CASE("base64 of RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("\xFF\xFE\xFD") == "//79");
}
