#pragma once
// For tests: a document beside its text, compared after every step with a cold run over the text.

#include "report/escape.hpp"
#include "session/document.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace toktier::session::testing {

struct Tally {
  std::uint64_t steps = 0, refused = 0, differ = 0;
  std::uint64_t cold_bytes = 0;  // what cold runs would have encoded
  std::uint64_t bytes = 0;       // what the documents encoded
  std::uint64_t parts = 0;
  std::string first;  // the first difference
  void operator+=(const Tally& other) {
    steps += other.steps;
    refused += other.refused;
    differ += other.differ;
    cold_bytes += other.cold_bytes;
    bytes += other.bytes;
    parts += other.parts;
    if (first.empty()) first = other.first;
  }
  double share() const {
    return cold_bytes == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(cold_bytes);
  }
};

/// One tokenizer and the scratch spaces of both sides.
class Bench {
 public:
  explicit Bench(const encode::Pipeline& p, SpecialMode mode = SpecialMode::file_default)
      : pipeline(p),
        filter(std::make_shared<const added::SpecialFilter>(p.added().filter(mode))),
        scratch(p.scratch(1 << 16)),
        cold_scratch(p.scratch(1 << 16)) {}

  /// Nothing: refused, with the reason in `why`.
  std::optional<std::vector<TokenId>> cold(std::string_view text, std::string& why) const {
    Encoding out;
    try {
      pipeline.run(text, *filter, {}, *cold_scratch, out);
    } catch (const Error& error) {
      why = error.what();
      return std::nullopt;
    }
    return out.ids;
  }

  const encode::Pipeline& pipeline;
  std::shared_ptr<const added::SpecialFilter> filter;
  std::unique_ptr<encode::EncodeScratch> scratch, cold_scratch;
  Tally tally;
};

struct CheckedDocument {
  CheckedDocument(const Bench& bench, Grain grain)
      : document(bench.pipeline, bench.filter, grain) {}
  Document document;
  std::string text;
  std::vector<TokenId> ids;
};

inline std::string show_ids(const std::vector<TokenId>& ids) {
  std::string out;
  for (const TokenId id : ids) out += fmt::format("{} ", id);
  return out;
}

/// Replaces [begin, end) and compares. False when something differs; refusals must agree.
inline bool step(Bench& bench, CheckedDocument& d, std::size_t begin, std::size_t end,
                 std::string_view text) {
  Tally& tally = bench.tally;
  std::string next = d.text;
  next.replace(begin, end - begin, text);
  std::string why;
  const auto cold = bench.cold(next, why);
  ++tally.steps;
  tally.cold_bytes += next.size();
  const auto differs = [&](const std::string& what) {
    ++tally.differ;
    if (!tally.first.empty()) return;
    tally.first =
        fmt::format("\"{}\" with [{},{}) = \"{}\": {}", report::escape_preview(d.text, 4000), begin,
                    end, report::escape_preview(text, 2000), what);
  };
  const std::uint64_t before = d.document.statistics.bytes_encoded;
  const std::uint64_t parts = d.document.statistics.parts_encoded;
  std::vector<TokenId> got = d.ids;
  try {
    const Change change = d.document.replace(begin, end, text, *bench.scratch);
    Patch patch;
    patch.keep_tokens = change.keep;
    patch.tail_tokens = change.tail;
    patch.ids = change.ids;
    patch.apply(got);
  } catch (const Error& error) {
    if (!cold) {
      ++tally.refused;
      return true;
    }
    differs(std::string("refused: ") + error.what());
    return false;
  }
  tally.bytes += d.document.statistics.bytes_encoded - before;
  tally.parts += d.document.statistics.parts_encoded - parts;
  if (!cold) {
    differs("only cold refuses: " + why);
    return false;
  }
  d.text = std::move(next);
  std::vector<TokenId> stored;
  d.document.rope().append_ids(0, d.document.rope().tokens(), stored);
  std::string held;
  d.document.rope().append_text(0, d.document.rope().bytes(), held);
  d.ids = std::move(got);
  if (stored == *cold && d.ids == *cold && held == d.text) return true;
  const auto at = std::mismatch(cold->begin(), cold->end(), stored.begin(), stored.end());
  differs(fmt::format("token {}\n  cold    {}\n  stored  {}\n  patched {}{}",
                      at.first - cold->begin(), show_ids(*cold), show_ids(stored), show_ids(d.ids),
                      held == d.text ? "" : "\n  and the text differs"));
  return false;
}

/// A character border at or before `at`.
inline std::size_t border(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

/// Random appends, edits, rewinds and forks. `chunks` are what texts are made of.
template <class Random>
void random_walk(Bench& bench, Grain grain, const std::vector<std::string>& chunks,
                 std::size_t steps, std::size_t most_bytes, Random& random) {
  std::vector<CheckedDocument> documents(1, CheckedDocument(bench, grain));
  std::size_t current = 0;
  const auto chunk = [&](std::size_t most) {
    std::string text;
    for (auto n = random() % (most + 1); n > 0; --n) text += chunks[random() % chunks.size()];
    return text;
  };
  for (std::size_t i = 0; i < steps; ++i) {
    CheckedDocument& d = documents[current];
    const auto place = [&] { return border(d.text, random() % (d.text.size() + 1)); };
    bool good = true;
    switch (random() % 8) {
      case 0: {  // rewind
        const std::size_t at =
            d.text.size() > most_bytes ? border(d.text, most_bytes / 3) : place();
        good = step(bench, d, at, d.text.size(), "");
        break;
      }
      case 1: {  // fork, and go on with one or the other
        CheckedDocument copy = d;
        if (documents.size() < 4)
          documents.push_back(std::move(copy));
        else
          documents[random() % documents.size()] = std::move(copy);
        current = random() % documents.size();
        break;
      }
      case 2:
      case 3:
      case 4: {  // edit
        const std::size_t begin = place();
        const std::size_t end = border(d.text, std::min(d.text.size(), begin + random() % 20));
        good = step(bench, d, begin, std::max(begin, end), chunk(3));
        break;
      }
      default:
        good = step(bench, d, d.text.size(), d.text.size(), chunk(random() % 4 == 0 ? 40 : 4));
    }
    if (!good) documents[current] = CheckedDocument(bench, grain);
  }
}

}  // namespace toktier::session::testing
