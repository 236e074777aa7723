// Rows of ids, canonical and not: what is said of them is what decoding and encoding them says.

#include "toktier/drift.hpp"

#include "model/testing/small_worlds.hpp"
#include "report/escape.hpp"
#include "session/canonical.hpp"
#include "session/testing/checked_document.hpp"
#include "session/testing/shared_files.hpp"
#include "toktier/error.hpp"
#include "toktier/session.hpp"
#include "unicode/utf8.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <random>

namespace {

using namespace toktier;
using session::testing::border;
using session::testing::show_ids;

std::string random_text(const std::vector<std::string>& chunks, std::size_t most,
                        std::mt19937& random) {
  std::string text;
  for (auto n = random() % (most + 1); n > 0; --n) text += chunks[random() % chunks.size()];
  return text;
}

/// Rows that are the encoding of a text, of a text in two or more pieces, the same with ids
/// changed, and ids at random.
template <class Encode>
std::vector<TokenId> random_row(const std::vector<std::string>& chunks,
                                const std::vector<TokenId>& known, Encode&& encode,
                                std::mt19937& random) {
  std::vector<TokenId> ids;
  const auto kind = random() % 6;
  if (kind == 0) {
    for (auto n = random() % 12; n > 0; --n) ids.push_back(known[random() % known.size()]);
    return ids;
  }
  const std::string text = random_text(chunks, 12, random);
  std::size_t at = 0;
  do {
    std::size_t end = text.size();
    if (kind > 2) end = border(text, at + random() % (text.size() - at + 1));
    const auto part = encode(text.substr(at, end - at));
    ids.insert(ids.end(), part.begin(), part.end());
    if (end == at) break;
    at = end;
  } while (at < text.size());
  if (kind == 5 && !ids.empty()) {
    const auto place = ids.begin() + static_cast<std::ptrdiff_t>(random() % ids.size());
    switch (random() % 3) {
      case 0:
        ids.erase(place);
        break;
      case 1:
        *place = known[random() % known.size()];
        break;
      default:
        ids.insert(place, known[random() % known.size()]);
    }
  }
  return ids;
}

struct Tally {
  std::size_t rows = 0, canonical = 0, proved = 0, refused = 0, steps = 0;
};

}  // namespace

TEST_CASE("what is proved canonical is so, and where tokens tile everything that is so is proved") {
  using namespace toktier::model::testing;
  Tally tally;
  std::vector<std::string> chunks = small_texts(120, 5);
  for (const std::string& text : dense_texts(60, 6)) chunks.push_back(text);
  std::uint32_t seed = 0;
  const auto check = [&](const std::string& name, model::TokenizerSpec spec) {
    ++seed;
    std::unique_ptr<encode::Pipeline> pipeline;
    try {
      pipeline = encode::Pipeline::compile(std::move(spec));
    } catch (const Error&) {
      return;
    }
    if (!session::can_prove_canonical(*pipeline)) return;
    const auto scratch = pipeline->scratch(1 << 16);
    const auto filter = pipeline->added().filter(SpecialMode::all);
    std::vector<TokenId> known;
    for (TokenId id = 0; id < pipeline->decoder().end_id(); ++id)
      if (pipeline->decoder().has(id)) known.push_back(id);
    std::mt19937 random(seed);
    const auto encode = [&](std::string_view text) {
      Encoding out;
      pipeline->run(text, filter, {}, *scratch, out);
      return out.ids;
    };
    for (int i = 0; i < 60; ++i) {
      std::string text;
      std::vector<TokenId> ids, cold;
      bool proved = false;
      try {
        ids = random_row(chunks, known, encode, random);
        text = unicode::replace_invalid_utf8(pipeline->decoder().decode(ids));
        cold = encode(text);
        proved = session::proves_canonical(*pipeline, ids, text, filter, *scratch);
      } catch (const Error&) {
        ++tally.refused;
        continue;
      }
      ++tally.rows;
      tally.canonical += cold == ids;
      tally.proved += proved;
      CHECK_MESSAGE((!proved || cold == ids),
                    name << ": " << show_ids(ids) << "is proved, but the encoding of \""
                         << report::escape_preview(text, 900) << "\" is " << show_ids(cold));
    }
  };
  for (const Chain& chain : chains()) {
    for (const Model& m : models()) {
      for (const bool added : {false, true}) {
        model::TokenizerSpec spec = m.spec;
        if (added) put_added(spec);
        spec.pre_tokenizers = chain.steps;
        check(fmt::format("{} / {}", chain.name, m.name), std::move(spec));
      }
    }
  }
  for (int i = 0; i < 40; ++i) {
    model::TokenizerSpec ranks = small_ranks();
    if (i % 2 == 0) put_added(ranks);
    check("ranks", std::move(ranks));
  }
  fmt::print(
      "small tokenizers whose tokens tile: {} rows of ids, {} canonical, {} of them proved, {} "
      "refused\n",
      tally.rows, tally.canonical, tally.proved, tally.refused);
  CHECK(tally.rows > 1000);
  CHECK(tally.proved > tally.canonical * 9 / 10);
  CHECK(tally.canonical < tally.rows * 9 / 10);
}

namespace {

std::vector<std::string> chunks_for(const Tokenizer& tokenizer, std::mt19937& random) {
  std::vector<std::string> chunks = {" the",
                                     "hel",
                                     "lo",
                                     " wor",
                                     "ld",
                                     "ing ",
                                     ". ",
                                     "\n",
                                     "\n\n",
                                     "  ",
                                     "    ",
                                     "1",
                                     "23",
                                     "4567",
                                     "'s",
                                     "'",
                                     "!",
                                     "--",
                                     "==",
                                     "<",
                                     "<|",
                                     "|>",
                                     "\xC3\xA9",
                                     "e\xCC\x81",
                                     "\xE4\xBD\xA0\xE5\xA5\xBD",
                                     "\xE3\x82\xAB",
                                     "\xF0\x9F\xA7\x99",
                                     "\xEF\xBF\xBD",
                                     " of plain text",
                                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                     "========================================",
                                     "                              "};
  for (int i = 0; i < 40; ++i) {
    const auto id = static_cast<TokenId>(random() % tokenizer.end_id());
    const std::string_view text = tokenizer.token_text(id);
    if (!text.empty() && !unicode::find_invalid_utf8(text)) chunks.emplace_back(text);
  }
  for (TokenId id = 0, found = 0; id < tokenizer.end_id() && found < 8; ++id)
    if (tokenizer.is_special(id)) {
      chunks.emplace_back(tokenizer.token_text(id));
      ++found;
    }
  return chunks;
}

/// Decode, then encode: nothing else.
Drift slow_drift(const Tokenizer& tokenizer, const std::vector<TokenId>& ids,
                 const EncodeOptions& options) {
  const std::string text = unicode::replace_invalid_utf8(tokenizer.decode(ids));
  const std::vector<TokenId> cold = tokenizer.encode(text, options).ids;
  Drift drift;
  drift.tokens = ids.size();
  while (drift.token < ids.size() && drift.token < cold.size() &&
         ids[drift.token] == cold[drift.token])
    ++drift.token;
  drift.canonical = ids == cold;
  for (std::size_t i = drift.token; i < ids.size() && i < drift.token + Drift::kShown; ++i)
    drift.given.push_back(ids[i]);
  for (std::size_t i = drift.token; i < cold.size() && i < drift.token + Drift::kShown; ++i)
    drift.expected.push_back(cold[i]);
  return drift;
}

bool same(const Drift& a, const Drift& b) {
  return a.canonical == b.canonical && a.tokens == b.tokens && a.token == b.token &&
         a.given == b.given && a.expected == b.expected;
}

std::string show(const Drift& d) {
  return fmt::format("canonical {}, token {} of {}, byte {}: {}| {}", d.canonical, d.token,
                     d.tokens, d.byte, show_ids(d.given), show_ids(d.expected));
}

void check_file(const std::string& name, const Tokenizer& tokenizer, int rows, Tally& tally) {
  const bool model_file = tokenizer.info().kind.find("entence") != std::string::npos;
  EncodeOptions options;
  options.truncate = false;
  options.special = model_file ? SpecialMode::none : SpecialMode::all;
  DriftOptions drift_options;
  drift_options.special = options.special;
  std::mt19937 random(77);
  const std::vector<std::string> chunks = chunks_for(tokenizer, random);
  std::vector<TokenId> known;
  for (TokenId id = 0; id < tokenizer.end_id(); ++id)
    if (!tokenizer.token_text(id).empty()) known.push_back(id);
  const auto encode = [&](const std::string& text) { return tokenizer.encode(text, options).ids; };
  for (int i = 0; i < rows; ++i) {
    std::vector<TokenId> ids;
    Drift slow;
    try {
      ids = random_row(chunks, known, encode, random);
      slow = slow_drift(tokenizer, ids, options);
    } catch (const Error&) {
      ++tally.refused;
      continue;
    }
    ++tally.rows;
    tally.canonical += slow.canonical;
    const Drift fast = find_drift(tokenizer, ids, drift_options);
    CHECK_MESSAGE(same(fast, slow),
                  name << ": " << show_ids(ids) << "\n  " << show(fast) << "\n  " << show(slow));
    CHECK(is_canonical(tokenizer, ids, drift_options) == slow.canonical);
    DriftOptions by_neighbours = drift_options;
    by_neighbours.by_neighbours = true;
    CHECK(same(find_drift(tokenizer, ids, by_neighbours), slow));
    // One by one, or some at a time; whenever no text is held back, what find_drift() says.
    DriftStream stream(tokenizer, drift_options);
    StreamDecoder decoder(tokenizer);
    std::string out;
    for (std::size_t at = 0; at < ids.size();) {
      const std::size_t n = std::min(ids.size() - at, 1 + (i % 3 == 0 ? random() % 4 : 0));
      stream.push(std::span(ids).subspan(at, n));
      out += decoder.push(std::span(ids).subspan(at, n));
      at += n;
      const std::vector<TokenId> some(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(at));
      if (tokenizer.decode(some).size() != out.size()) continue;
      ++tally.steps;
      Drift whole;
      try {
        whole = slow_drift(tokenizer, some, options);
      } catch (const Error&) {
        continue;
      }
      const Drift so_far = stream.so_far();
      CHECK_MESSAGE(same(so_far, whole), name << ": after " << at << " of " << show_ids(ids)
                                              << "\n  " << show(so_far) << "\n  " << show(whole));
    }
    const Drift end = stream.finish();
    CHECK_MESSAGE((same(end, fast) && end.byte == fast.byte),
                  name << ": " << show_ids(ids) << "\n  " << show(end) << "\n  " << show(fast));
  }
}

}  // namespace

TEST_CASE("drift of random rows of the embedded tokenizer, with the place in the text") {
  const Tokenizer tokenizer = Tokenizer::load("embedded");
  Tally tally;
  check_file("embedded", tokenizer, 400, tally);
  CHECK(tally.canonical > 100);
  CHECK(tally.canonical < tally.rows - 100);
  // Tokens tile the text here: the place is the length of the text of the tokens before.
  const std::vector<TokenId> ids = {40, 910, 258, 18798};  // I, " say", he, llo
  const Drift drift = find_drift(tokenizer, ids);
  CHECK_FALSE(drift.canonical);
  CHECK(drift.token == 2);
  CHECK(drift.byte == tokenizer.decode(std::vector<TokenId>{40, 910}).size());
  CHECK(drift.given == std::vector<TokenId>{258, 18798});
  CHECK(drift.expected == tokenizer.encode(tokenizer.decode(ids).substr(drift.byte)).ids);
}

TEST_CASE("drift of random rows of every shared file") {
  const char* chosen = std::getenv("TOKTIER_SESSION_FILE");
  const char* given = std::getenv("TOKTIER_DRIFT_ROWS");
  const int rows = given != nullptr ? std::atoi(given) : 150;
  Tally tally;
  std::size_t run = 0, skipped = 0;
  for (const std::string& name : session::testing::distinct_files()) {
    if (chosen != nullptr && name.find(chosen) == std::string::npos) continue;
    try {
      const Tokenizer tokenizer =
          Tokenizer::load((session::testing::shared_folder() / "tokenizers" / name).string());
      check_file(name, tokenizer, rows, tally);
      ++run;
    } catch (const Error&) {
      ++skipped;
    }
  }
  fmt::print(
      "drift: {} files, {} skipped (not loaded), {} rows of ids, {} canonical, {} refused; {} ends "
      "of growing rows\n",
      run, skipped, tally.rows, tally.canonical, tally.refused, tally.steps);
  if (run == 0) MESSAGE("skipped: no shared files");
  if (run > 0 && chosen == nullptr) CHECK(run > 40);
}

TEST_CASE("control tokens, ids that do not exist, and the tokens around a document") {
  const Tokenizer tokenizer = Tokenizer::load("embedded");
  const std::vector<TokenId> ids = {31373, 50256, 995};
  CHECK(is_canonical(tokenizer, ids));
  DriftOptions none;
  none.special = SpecialMode::none;
  CHECK(find_drift(tokenizer, ids, none).token == 1);
  const auto refused = [&](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code() == ErrorCode::input;
    }
    return false;
  };
  CHECK(refused([&] { find_drift(tokenizer, std::vector<TokenId>{60000}); }));
  DriftStream stream(tokenizer);
  stream.push(31373);
  CHECK(refused([&] { stream.push(60000); }));
  stream.push(995);
  CHECK(stream.finish().canonical);
  CHECK(find_drift(tokenizer, {}).canonical);
}

TEST_CASE("a session says where its sampled ids and its text part") {
  const Tokenizer tokenizer = Tokenizer::load("embedded");
  SessionOptions options;
  options.trust = true;
  Session session(tokenizer, options);
  session.append("user: say it\n");
  session.append_sampled(tokenizer.encode("fine").ids);
  session.append("\n");
  CHECK(session.drift().canonical);
  session.append_untrusted("<|endoftext|>");
  CHECK(session.drift().canonical);
  const std::size_t tokens = session.tokens(), bytes = session.bytes();
  session.append("\n");
  session.append_sampled(std::vector<TokenId>{258, 18798, 50256});  // he, llo, the end
  const Drift drift = session.drift();
  CHECK_FALSE(drift.canonical);
  CHECK(drift.token == tokens + 1);
  CHECK(drift.byte == bytes + 1);
  CHECK(drift.given.front() == 258);
  CHECK(drift.expected == std::vector<TokenId>{31373, 50256});
}
