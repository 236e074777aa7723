#include "diff/compare.hpp"

#include <doctest/doctest.h>

using namespace toktier::diff;

namespace {

Answer answer(std::vector<toktier::TokenId> ids, std::vector<toktier::Span> spans,
              std::vector<toktier::Span> pieces = {}) {
  Answer a;
  a.ids = std::move(ids);
  a.spans = std::move(spans);
  a.pieces = std::move(pieces);
  return a;
}

}  // namespace

TEST_CASE("stages name where the two sides part") {
  const Answer base = answer({1, 2, 3}, {{0, 1}, {1, 2}, {2, 3}}, {{0, 1}, {1, 3}});
  CHECK(!first_difference(kIds, base, base));
  const auto model = first_difference(kIds, base, answer({1, 2, 4}, base.spans, base.pieces));
  REQUIRE(model);
  CHECK(model->cls() == "ids/model");
  CHECK(model->index == 2);
  CHECK(model->byte == 2);
  const auto pieces =
      first_difference(kIds, base, answer({1, 5}, {{0, 1}, {1, 3}}, {{0, 1}, {1, 2}, {2, 3}}));
  REQUIRE(pieces);
  CHECK(pieces->cls() == "ids/pieces");
  // The pieces part only behind the first difference of ids: the model is to blame.
  const auto later = first_difference(kIds, answer({1, 2}, {{0, 1}, {1, 3}}, {{0, 1}, {1, 3}}),
                                      answer({9, 2}, {{0, 1}, {1, 3}}, {{0, 1}, {1, 2}, {2, 3}}));
  REQUIRE(later);
  CHECK(later->cls() == "ids/model");
  CHECK(first_difference(kIds, base, answer({1, 2}, {{0, 1}, {1, 2}}))->cls() == "ids/tail");
  CHECK(first_difference(kIds, base, answer({7, 2, 3}, base.spans))->cls() == "ids/ids");
  CHECK(first_difference(kSpans, base, answer({1, 2, 3}, {{0, 1}, {1, 2}, {1, 3}}))->cls() ==
        "spans/spans");
}

TEST_CASE("refusals: one side is a difference, both are none") {
  Answer refused;
  refused.status = AnswerStatus::refused;
  const Answer fine = answer({1}, {{0, 1}});
  CHECK(first_difference(kIds, refused, fine)->stage == "refusal-ours");
  CHECK(first_difference(kIds, fine, refused)->stage == "refusal-theirs");
  Answer invalid;
  invalid.status = AnswerStatus::invalid_text;
  CHECK(!first_difference(kIds, refused, invalid));
}

TEST_CASE("windows show both sides with escaped text") {
  const std::string text = "ab\n\xC3\xA9";
  const Answer ours = answer({1, 2, 3}, {{0, 2}, {2, 3}, {3, 5}});
  const Answer theirs = answer({1, 2, 8, 9}, {{0, 2}, {2, 3}, {3, 5}, {3, 5}});
  const auto difference = first_difference(kIds, ours, theirs);
  REQUIRE(difference);
  const Window window = show_window(text, *difference, ours, theirs);
  CHECK(window.ours == "1 \"ab\" 2 \"\\n\" >3 \"\\u{E9}\"<");
  CHECK(window.theirs == "1 \"ab\" 2 \"\\n\" >8 \"\\u{E9}\"< 9 \"\\u{E9}\"");
}

TEST_CASE("decoded texts") {
  Decoded a, b;
  a.text = "same";
  b.text = "sane";
  const auto difference = first_difference(a, b);
  REQUIRE(difference);
  CHECK(difference->cls() == "decode/decode");
  CHECK(difference->byte == 2);
  CHECK(show_window(*difference, a, b).ours == "sa>me<");
  b.text = "sam";
  CHECK(first_difference(a, b)->cls() == "decode/tail");
  b.text = "same";
  CHECK(!first_difference(a, b));
  b.status = AnswerStatus::refused;
  CHECK(first_difference(a, b)->stage == "refusal-theirs");
}
