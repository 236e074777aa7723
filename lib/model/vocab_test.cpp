#include "model/vocab.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

using toktier::TokenId;
using toktier::model::kMaxTokenId;
using toktier::model::kNoToken;
using toktier::model::Vocab;

TEST_CASE("vocab finds every token and nothing else, ids with gaps") {
  std::mt19937 random(3);
  std::map<std::string, TokenId> truth;
  Vocab vocab;
  TokenId id = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string token;
    for (auto n = random() % 20; n > 0; --n) token.push_back(static_cast<char>(random() % 5 + 'a'));
    id += static_cast<TokenId>(1 + random() % 3);
    REQUIRE(vocab.add(id, token));
    truth[token] = id;  // the later add wins, as in the table
  }
  vocab.index();
  CHECK(vocab.distinct() == truth.size());
  CHECK(vocab.size() == 20000);
  CHECK(vocab.end_id() == id + 1);
  std::vector<std::string> asked;
  for (int i = 0; i < 50000; ++i) {
    std::string token;
    for (auto n = random() % 9; n > 0; --n) token.push_back(static_cast<char>(random() % 5 + 'a'));
    asked.push_back(token);
  }
  std::vector<std::string_view> views(asked.begin(), asked.end());
  std::vector<TokenId> many(views.size());
  vocab.find_many(views, many);
  std::size_t present = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto at = truth.find(asked[i]);
    const TokenId want = at == truth.end() ? kNoToken : at->second;
    present += want != kNoToken ? 1 : 0;
    REQUIRE(vocab.find(asked[i]) == want);
    REQUIRE(many[i] == want);
  }
  CHECK(present > 1000);
}

TEST_CASE("vocab refuses a second string for an id and ids out of range") {
  Vocab vocab;
  CHECK(vocab.find("a") == kNoToken);
  CHECK(vocab.add(3, "a"));
  CHECK(vocab.add(3, "a"));
  CHECK_FALSE(vocab.add(3, "b"));
  CHECK_FALSE(vocab.add(kMaxTokenId + 1, "c"));
  CHECK(vocab.add(5, "a"));
  CHECK(vocab.add(4, ""));
  vocab.index();
  CHECK(vocab.find("a") == 5);
  CHECK(vocab.find("") == 4);
  CHECK(vocab.find("b") == kNoToken);
  CHECK(vocab[3] == "a");
  CHECK(vocab.size() == 3);
  CHECK(vocab.distinct() == 2);
  CHECK_FALSE(vocab.has(0));
  CHECK(vocab[99].empty());
}
