#include "diff/external/frame.hpp"

#include "diff/digest.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

using namespace toktier::diff;
using namespace toktier::diff::external;

namespace {

void put(std::string& out, std::uint32_t word) {
  out.append(reinterpret_cast<const char*>(&word), 4);
}

/// What a worker would answer for two documents, the second refused.
std::string good_reply() {
  std::string reply;
  for (const std::uint32_t word :
       {2U, 10U, 0U, 1U, 2U, 0U, 0U, 0U, 7U, 8U, 0U, 1U, 1U, 2U, 1U, 1U, 4U}) {
    put(reply, word);
  }
  return reply + "oops";
}

Question question() {
  Question q;
  q.parts = kIds | kSpans;
  return q;
}

}  // namespace

TEST_CASE("a good reply is read") {
  std::vector<Answer> answers;
  std::uint64_t micros = 0;
  parse_encode(good_reply(), 2, question(), answers, &micros);
  CHECK(micros == 10);
  CHECK(answers[0].ids == std::vector<toktier::TokenId>{7, 8});
  CHECK(answers[0].spans == std::vector<toktier::Span>{{0, 1}, {1, 2}});
  CHECK(answers[0].id_digest == digest(answers[0].ids));
  CHECK(answers[1].status == AnswerStatus::refused);
  CHECK(answers[1].error == "oops");
}

TEST_CASE("every truncation and every extra byte is refused") {
  const std::string reply = good_reply();
  std::vector<Answer> answers;
  std::uint64_t micros = 0;
  for (std::size_t size = 0; size < reply.size(); ++size) {
    CHECK_THROWS_AS(parse_encode(reply.substr(0, size), 2, question(), answers, &micros),
                    toktier::Error);
  }
  CHECK_THROWS_AS(parse_encode(reply + "x", 2, question(), answers, &micros), toktier::Error);
  CHECK_THROWS_AS(parse_encode(reply, 3, question(), answers, &micros), toktier::Error);
}

TEST_CASE("random damage gives an error or an answer of the right size, never a crash") {
  std::mt19937 random(11);
  const std::string reply = good_reply();
  std::size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bad = reply;
    const std::size_t hits = 1 + random() % 3;
    for (std::size_t i = 0; i < hits; ++i)
      bad[random() % bad.size()] = static_cast<char>(random() % 256);
    if (random() % 4 == 0) bad.resize(random() % (bad.size() + 1));
    std::vector<Answer> answers;
    std::uint64_t micros = 0;
    Question q = question();
    q.digest_only = random() % 2 == 0;
    try {
      parse_encode(bad, 2, q, answers, &micros);
      CHECK(answers.size() == 2);
    } catch (const toktier::Error& error) {
      CHECK(error.code() == toktier::ErrorCode::unavailable);
      ++refused;
    }
    std::vector<Decoded> texts;
    try {
      parse_decode(bad, 2, texts);
      CHECK(texts.size() == 2);
    } catch (const toktier::Error&) {
    }
    CHECK_THROWS_AS(parse_hello(bad), toktier::Error);
    CHECK_THROWS_AS((void)parse_error(bad), toktier::Error);
  }
  CHECK(refused > 10000);
}

TEST_CASE("headers: magic and length are checked before anything is believed") {
  std::string header;
  put(header, kMagic);
  put(header, 0x82);
  put(header, 17);
  CHECK(parse_header(header).length == 17);
  std::string wrong = header;
  wrong[0] = 'X';
  CHECK_THROWS_AS(parse_header(wrong), toktier::Error);
  std::string giant = header;
  std::memset(giant.data() + 8, 0xFF, 4);
  CHECK_THROWS_AS(parse_header(giant), toktier::Error);
  CHECK_THROWS_AS(parse_header(header.substr(0, 11)), toktier::Error);
}

TEST_CASE("hello and error texts") {
  const Hello hello = parse_hello(
      R"({"engine":"e","version":"1","unicode":"16.0","kind":"k","sha256":"aa","side_sha256":"bb","end_id":5,"capabilities":["ids"]})");
  CHECK(hello.identity.fingerprint == "aa+bb");
  CHECK(hello.identity.end_id == 5);
  CHECK(hello.identity.answers == 1);
  const auto with_answers = [](const std::string& value) {
    return parse_hello(
        R"({"engine":"e","version":"1","unicode":"","kind":"k","sha256":"","side_sha256":"",)"
        R"("end_id":5,"capabilities":[],"answers":)" +
        value + "}");
  };
  CHECK(with_answers("7").identity.answers == 7);
  for (const char* value : {"0", "-1", "4294967296", "\"1\"", "null", "1.5"}) {
    CAPTURE(value);
    CHECK_THROWS_AS(with_answers(value), toktier::Error);
  }
  CHECK_THROWS_AS(parse_hello(R"({"engine":"e"})"), toktier::Error);
  CHECK(parse_error(R"({"code":"unsupported","error":"no"})").code() ==
        toktier::ErrorCode::unsupported);
  CHECK(parse_error(R"({"code":"anything","error":"no"})").code() ==
        toktier::ErrorCode::unavailable);
}
