// Post-processing against a textbook run over lists of encodings.

#include "post/post_processor.hpp"

#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <random>

namespace {

using namespace toktier;
using post::PostOptions;
using post::PostProcessor;
using post::PostResult;
using post::TokenText;

const std::vector<std::string> kVocabulary{"a",
                                           "\xC4\xA0",
                                           "\xC4\xA0"
                                           "b",
                                           "c\xC4\xA0",
                                           "\xC4\xA0\xC4\xA0",
                                           "\xC4\xA0\xC4\xA0"
                                           "d",
                                           " e ",
                                           "f"};

model::TokenizerSpec spec_of(std::vector<model::PostProcessor> steps) {
  model::TokenizerSpec spec;
  spec.path = "test.json";
  for (std::size_t i = 0; i < kVocabulary.size(); ++i)
    spec.vocab.add(static_cast<TokenId>(i), kVocabulary[i]);
  spec.vocab.index();
  spec.post_processors = std::move(steps);
  return spec;
}
PostProcessor compile(const model::TokenizerSpec& spec) {
  return PostProcessor::compile(spec, added::AddedTable::build(spec, {}));
}

// ---- the slow twin: a list of encodings, every step rewrites it; offsets count characters (ASCII
// documents here) --
struct Token {
  TokenId id;
  std::string text;
  int begin, end;
};
using Encodings = std::vector<std::vector<Token>>;

int blanks(const std::string& text, bool front) {
  // Tokens here consist of ASCII and U+0120, so blanks can be counted on a copy with plain blanks.
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\xC4') {
      plain += ' ';
      ++i;
    } else {
      plain += text[i];
    }
  }
  if (!front) plain = std::string(plain.rbegin(), plain.rend());
  const std::size_t other = plain.find_first_not_of(' ');
  return static_cast<int>(other == std::string::npos ? plain.size() : other);
}

void twin_trim(Encodings& list, bool add_prefix_space) {
  for (auto& encoding : list) {
    for (std::size_t i = 0; i < encoding.size(); ++i) {
      Token& t = encoding[i];
      int lead = blanks(t.text, true);
      const int trail = blanks(t.text, false);
      if (lead > 0) {
        if ((i == 0 || t.begin == 0) && add_prefix_space && lead == 1) lead = 0;
        t.begin = std::min(t.begin + lead, t.end);
      }
      if (trail > 0 && t.end >= trail) t.end = std::max(t.end - trail, t.begin);
    }
  }
}

void twin_step(const model::PostProcessor& step, bool add_special, Encodings& list) {
  const auto special = [](TokenId id) { return Token{id, "", 0, 0}; };
  if (const auto* t = std::get_if<model::PostTemplate>(&step)) {
    Encodings out;
    for (const auto& piece : t->single) {
      if (piece.kind == model::TemplatePiece::Kind::sequence_a) {
        out.push_back(list.at(0));
      } else if (add_special) {
        out.emplace_back();
        for (const TokenId id : piece.ids) out.back().push_back(special(id));
      }
    }
    list = out;
  } else if (const auto* b = std::get_if<model::PostBert>(&step)) {
    if (!add_special) return;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i == 0) list[i].insert(list[i].begin(), special(b->cls));
      list[i].push_back(special(b->sep));
    }
  } else if (const auto* r = std::get_if<model::PostRoberta>(&step)) {
    if (r->trim_offsets) twin_trim(list, r->add_prefix_space);
    if (!add_special) return;
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].insert(list[i].begin(), special(i == 0 ? r->cls : r->sep));
      list[i].push_back(special(r->sep));
    }
  } else if (const auto* l = std::get_if<model::PostByteLevel>(&step)) {
    if (l->trim_offsets) twin_trim(list, l->add_prefix_space);
  }
}

}  // namespace

TEST_CASE("random chains equal the textbook") {
  std::mt19937_64 random(5);
  const auto flip = [&] { return random() % 2 == 0; };
  std::size_t compared = 0, failures = 0, refused = 0, truncated = 0, padded = 0;
  for (int round = 0; round < 60000; ++round) {
    std::vector<model::PostProcessor> steps;
    bool templated = false;
    for (std::size_t n = random() % 4; n > 0; --n) {
      switch (random() % 4) {
        case 0: {
          if (templated) break;
          templated = true;
          model::PostTemplate step;
          for (std::size_t k = 1 + random() % 3; k > 0; --k) {
            if (flip()) step.single.push_back({model::TemplatePiece::Kind::sequence_a, {}, 0});
            if (flip()) step.single.push_back({model::TemplatePiece::Kind::tokens, {90, 91}, 0});
          }
          steps.emplace_back(step);
          break;
        }
        case 1:
          steps.emplace_back(std::in_place_type<model::PostBert>, model::PostBert{92, 93});
          break;
        case 2:
          steps.emplace_back(std::in_place_type<model::PostRoberta>,
                             model::PostRoberta{94, 95, flip(), flip()});
          break;
        default:
          steps.emplace_back(std::in_place_type<model::PostByteLevel>,
                             model::PostByteLevel{flip(), flip()});
      }
    }
    auto spec = spec_of(steps);
    if (random() % 3 == 0) {
      spec.truncation = model::Truncation{random() % 9, random() % 3,
                                          model::Truncation::Strategy::longest_first, flip()};
      if (random() % 4 == 0) spec.truncation->strategy = model::Truncation::Strategy::only_second;
    }
    if (random() % 3 == 0) {
      spec.padding = model::Padding{std::nullopt, random() % 5, flip(), 77, 0, "[PAD]"};
      if (flip()) spec.padding->fixed = random() % 12;
    }
    const PostProcessor processor = compile(spec);
    const PostOptions options{flip(), random() % 4 != 0};

    std::vector<TokenId> ids;
    std::vector<Span> spans;
    std::vector<Token> tokens;
    std::vector<std::string> own(8);
    std::vector<TokenText> texts;
    std::uint32_t at = static_cast<std::uint32_t>(random() % 2);
    for (std::size_t n = random() % 8, i = 0; i < n; ++i) {
      const auto id = static_cast<TokenId>(random() % kVocabulary.size());
      const auto end = static_cast<std::uint32_t>(at + random() % 4);
      std::string text = kVocabulary[id];
      if (random() % 4 == 0) {
        own[i] = std::string(random() % 3, ' ') + "x" + std::string(random() % 3, ' ');
        text = own[i];
        texts.push_back({i, own[i]});
      }
      ids.push_back(id);
      spans.push_back({at, end});
      tokens.push_back({id, text, static_cast<int>(at), static_cast<int>(end)});
      at = end;
    }
    const std::string document(40, '.');

    // expected
    bool fails = false;
    std::size_t cut = 0;
    if (options.limits && spec.truncation) {
      const auto& rule = *spec.truncation;
      std::size_t reserved = 0;
      for (const auto& step : steps) {
        if (const auto* t = std::get_if<model::PostTemplate>(&step)) {
          for (const auto& piece : t->single) reserved += piece.ids.size();
        } else if (!std::get_if<model::PostByteLevel>(&step)) {
          reserved += 2;
        }
      }
      std::size_t keep =
          options.add_special ? rule.max_length - reserved : rule.max_length;  // wraps
      if (tokens.size() > keep) {
        if (keep > 0 &&
            (rule.strategy == model::Truncation::Strategy::only_second || rule.stride >= keep))
          fails = true;
        cut = tokens.size() - keep;
        if (rule.left) {
          tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(cut));
        } else {
          tokens.resize(keep);
        }
      }
    }
    Encodings list{tokens};
    for (const auto& step : steps) {
      const bool needs_one = std::holds_alternative<model::PostTemplate>(step);
      if (needs_one && list.size() != 1) fails = true;
      if (!fails) twin_step(step, options.add_special, list);
    }
    std::vector<TokenId> expected_ids;
    std::vector<Span> expected_spans;
    for (const auto& encoding : list) {
      for (const auto& t : encoding) {
        expected_ids.push_back(t.id);
        expected_spans.push_back(
            {static_cast<std::uint32_t>(t.begin), static_cast<std::uint32_t>(t.end)});
      }
    }
    std::size_t fill = 0;
    if (options.limits && spec.padding) {
      std::size_t length = spec.padding->fixed.value_or(expected_ids.size());
      while (spec.padding->pad_to_multiple_of > 0 && length % spec.padding->pad_to_multiple_of != 0)
        ++length;
      while (expected_ids.size() < length) {
        const bool left = spec.padding->left;
        expected_ids.insert(left ? expected_ids.begin() : expected_ids.end(), 77U);
        expected_spans.insert(left ? expected_spans.begin() : expected_spans.end(), Span{});
        ++fill;
      }
    }
    ++compared;
    auto only_ids = ids;
    try {
      const PostResult result = processor.run(document, texts, options, ids, &spans);
      if (fails || ids != expected_ids || spans != expected_spans) ++failures;
      if (result != PostResult{cut, fill}) ++failures;
      processor.run(document, texts, options, only_ids, nullptr);
      if (only_ids != expected_ids) ++failures;
      std::vector<TokenId> before, after;
      if (processor.frames(options, &before, &after)) {
        for (const auto& t : tokens) before.push_back(t.id);
        before.insert(before.end(), after.begin(), after.end());
        if (before != expected_ids) ++failures;
      }
      truncated += cut > 0 ? 1 : 0;
      padded += fill > 0 ? 1 : 0;
    } catch (const Error&) {
      ++refused;
      if (!fails) ++failures;
    }
  }
  MESSAGE("compared " << compared << ", refused " << refused << ", truncated " << truncated
                      << ", padded " << padded);
  CHECK(failures == 0);
  CHECK(refused > 300);
  CHECK(truncated > 1000);
  CHECK(padded > 1000);
}

TEST_CASE("spans are trimmed by whole characters of the document") {
  const PostProcessor processor = compile(spec_of({model::PostByteLevel{true, false}}));
  // The token's blank stands for U+3000 in the document (three bytes).
  std::vector<TokenId> ids{0, 2};
  std::vector<Span> spans{{0, 1}, {1, 5}};
  processor.run(
      "a\xE3\x80\x80"
      "b",
      {}, {}, ids, &spans);
  CHECK(spans == std::vector<Span>{{0, 1}, {4, 5}});
}

TEST_CASE("a template for a pair is refused, by name, and only when asked for") {
  model::PostTemplate step{{{model::TemplatePiece::Kind::tokens, {9}, 0},
                            {model::TemplatePiece::Kind::sequence_a, {}, 0}}};
  const PostProcessor processor = compile(spec_of({step, step}));
  std::vector<TokenId> ids{1};
  CHECK_NOTHROW(processor.run("a", {}, {false, true}, ids, nullptr));
  CHECK_THROWS_AS(processor.run("a", {}, {true, true}, ids, nullptr), Error);
}
