#include "diff/sources/generators.hpp"

#include "diff/case_random.hpp"
#include "diff/sources/generator_rows.hpp"
#include "diff/sources/indexed.hpp"
#include "report/nearest_name.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace toktier::diff::sources {
namespace {

std::unique_ptr<DocumentSource> codepoints(const GeneratorRequest&) {
  return std::make_unique<Indexed>(
      "codepoints", kScalars, [](std::uint64_t index, Document& document) {
        unicode::append_utf8(document.text, scalar(index));
        document.id = fmt::format("U+{:04X}", static_cast<std::uint32_t>(scalar(index)));
        return true;
      });
}

/// The code point C in six contexts, one document for all: what a reference costs per document
/// would make the sweep six times as long. Each context has a line of its own, because a newline
/// joins neither the letter, digit or apostrophe before C nor, in the usual patterns, the blank.
/// The document begins with C and ends with C, so that both ends of a text are met as well.
std::unique_ptr<DocumentSource> contexts(const GeneratorRequest&) {
  static constexpr std::array<std::string_view, 7> kAround = {"",    "a\n1", "\n ", "\n\n",
                                                              "\n'", "\na",  ""};
  const auto make = [](std::uint64_t index, Document& document) {
    const char32_t c = scalar(index);
    for (std::size_t i = 0; i < kAround.size(); ++i) {
      if (i > 0) unicode::append_utf8(document.text, c);
      document.text += kAround[i];
    }
    document.id = fmt::format("U+{:04X} in six contexts", static_cast<std::uint32_t>(c));
    return true;
  };
  return std::make_unique<Indexed>("contexts", kScalars, make);
}

std::unique_ptr<DocumentSource> vocab(const GeneratorRequest& request) {
  const auto make = [vocabulary = request.vocabulary](std::uint64_t index, Document& document) {
    const auto id = static_cast<TokenId>(index);
    document.text = vocabulary.text(id);
    document.id = fmt::format("id {}", id);
    return !document.text.empty();
  };
  return std::make_unique<Indexed>("vocab", request.vocabulary.end_id, make);
}

std::unique_ptr<DocumentSource> vocab_pairs(const GeneratorRequest& request) {
  const auto make = [request](std::uint64_t index, Document& document) {
    CaseRandom random(request.seed, index);
    const auto a = static_cast<TokenId>(random.below(request.vocabulary.end_id));
    const auto b = static_cast<TokenId>(random.below(request.vocabulary.end_id));
    document.text = request.vocabulary.text(a) + request.vocabulary.text(b);
    document.id = fmt::format("ids {} {} (seed {}, case {})", a, b, request.seed, index);
    return !document.text.empty();
  };
  return std::make_unique<Indexed>("vocab-pairs",
                                   request.vocabulary.end_id == 0 ? 0 : request.count, make);
}

/// Parts of words, scripts and traps; a random text is a row of these, some repeated.
constexpr std::array<std::string_view, 44> kParts = {"a",
                                                     "b",
                                                     "Z",
                                                     "the",
                                                     "Qu",
                                                     " ",
                                                     " ",
                                                     "  ",
                                                     "\t",
                                                     "\n",
                                                     "\r\n",
                                                     "\r",
                                                     "'s",
                                                     "'LL",
                                                     "\xE2\x80\x99t",
                                                     "'",
                                                     "0",
                                                     "12",
                                                     "345",
                                                     ".",
                                                     ",",
                                                     "!?",
                                                     "//",
                                                     "_",
                                                     "-",
                                                     "<",
                                                     "|>",
                                                     "\xC3\xA9",
                                                     "e\xCC\x81",
                                                     "\xC3\x9F",
                                                     "\xC4\xB0",
                                                     "\xD0\x96",
                                                     "\xD7\xA9",
                                                     "\xD8\xA7\xD9\x84",
                                                     "\xE0\xA4\x95\xE0\xA5\x8D",
                                                     "\xE4\xB8\xAD",
                                                     "\xE3\x81\x8B\xE3\x82\x99",
                                                     "\xEA\xB0\x80",
                                                     "\xE0\xB8\xB1",
                                                     "\xF0\x9F\x98\x80",
                                                     "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",
                                                     "\xC2\xA0",
                                                     "\xE3\x80\x80",
                                                     "\xE2\x80\x8B"};

std::unique_ptr<DocumentSource> random_mix(const GeneratorRequest& request) {
  const auto make = [request](std::uint64_t index, Document& document) {
    CaseRandom random(request.seed, index);
    const std::uint64_t parts = 1 + random.below(1 + random.below(40));
    for (std::uint64_t i = 0; i < parts; ++i) {
      const std::uint64_t kind = random.below(10);
      const std::uint64_t repeat = random.below(12) == 0 ? 1 + random.below(20) : 1;
      std::string part(kParts[random.below(kParts.size())]);
      if (kind == 0) {
        part.clear();
        unicode::append_utf8(part, scalar(random.below(kScalars)));
      } else if (kind == 1 && request.vocabulary.end_id > 0) {
        part =
            request.vocabulary.text(static_cast<TokenId>(random.below(request.vocabulary.end_id)));
      }
      for (std::uint64_t r = 0; r < repeat; ++r) document.text += part;
    }
    document.id = fmt::format("seed {}, case {}", request.seed, index);
    return true;
  };
  return std::make_unique<Indexed>("random", request.count, make);
}

}  // namespace

const std::vector<GeneratorRow>& generator_table() {
  static const std::vector<GeneratorRow> table = [] {
    std::vector<GeneratorRow> rows = {
        {"codepoints", "every code point alone (1,112,064 documents)", 0, codepoints},
        {"contexts",
         "every code point after a letter, digit, blank, newline, apostrophe, before a letter "
         "(1,112,064 documents)",
         0, contexts},
        {"vocab", "every vocabulary entry, decoded, alone", 0, vocab},
        {"vocab-pairs", "random pairs of vocabulary entries", 100'000, vocab_pairs},
        {"random", "random rows of words, blanks, scripts, traps and vocabulary entries", 100'000,
         random_mix},
    };
    add_pool_rows(rows);
    add_raw_rows(rows);
    add_grammar_rows(rows);
    add_class_rows(rows);
    return rows;
  }();
  return table;
}

std::unique_ptr<DocumentSource> make_generator(std::string_view spec, GeneratorRequest request) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  std::vector<std::string> known;
  for (const GeneratorRow& row : generator_table()) {
    known.emplace_back(row.name);
    if (row.name != name) continue;
    request.count = row.default_count;
    if (colon != std::string_view::npos) {
      const std::string_view digits = spec.substr(colon + 1);
      const auto [end, code] =
          std::from_chars(digits.data(), digits.data() + digits.size(), request.count);
      if (code != std::errc() || end != digits.data() + digits.size() || request.count == 0 ||
          row.default_count == 0) {
        throw Error(ErrorCode::usage,
                    row.default_count == 0
                        ? fmt::format("generator {} takes no count", name)
                        : fmt::format("generator {}: bad count '{}'", name, digits));
      }
    }
    return row.make(request);
  }
  throw Error(ErrorCode::usage, report::unknown_name("generator", name, known));
}

std::unique_ptr<DocumentSource> exhaustive(std::vector<std::string> alphabet, std::size_t length) {
  if (alphabet.empty()) throw Error(ErrorCode::usage, "exhaustive: the alphabet is empty");
  std::uint64_t total = 0, of_length = 1;
  for (std::size_t i = 0; i < length; ++i) {
    of_length *= alphabet.size();
    total += of_length;
    if (total > (std::uint64_t{1} << 40)) {
      throw Error(ErrorCode::usage,
                  fmt::format("exhaustive: {} symbols to length {} are too many texts",
                              alphabet.size(), length));
    }
  }
  const auto make = [alphabet = std::move(alphabet)](std::uint64_t index, Document& document) {
    document.id = fmt::format("text {}", index);
    // Bijective numbering: all of length 1, then all of length 2, ...
    for (std::uint64_t rest = index + 1; rest > 0; rest = (rest - 1) / alphabet.size()) {
      document.text.insert(0, alphabet[(rest - 1) % alphabet.size()]);
    }
    return true;
  };
  return std::make_unique<Indexed>("exhaustive", total, make);
}

}  // namespace toktier::diff::sources
