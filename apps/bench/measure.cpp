#include "apps/bench/measure.hpp"

#include "apps/bench/first_call.hpp"
#include "apps/common/signals.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>

namespace toktier::bench {
namespace {

constexpr std::size_t kShownIds = 8;

void give_up(Lane& lane, const Error& error) {
  lane.standing = error.code() == ErrorCode::unavailable ? Standing::died : Standing::refused;
  lane.reason = error.what();
}

/// A lane's own failure is its result; a failure of ours ends the run.
template <class Step>
void guarded(Lane& lane, const Step& step) {
  try {
    step();
  } catch (const Error& error) {
    if (lane.entry.name == "toktier" || error.code() == ErrorCode::internal) throw;
    give_up(lane, error);
  }
}

Difference find_difference(Contestant& contestant, const Tokenizer& tokenizer, const TextSet& texts,
                           const Expected& expected, const PassReply& reply) {
  Difference difference;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < texts.texts.size(); ++i) {
    if (reply.documents[i] == expected.documents[i]) continue;
    if (!first) first = i;
    ++difference.documents;
  }
  if (!first) return difference;  // a digest of the whole that does not follow from its parts
  difference.document = texts.ids[*first];
  const std::vector<TokenId> ours = tokenizer.encode(texts.texts[*first]).ids;
  const std::vector<TokenId> theirs = contestant.ids(static_cast<std::uint32_t>(*first));
  const auto [a, b] = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
  difference.position = static_cast<std::size_t>(a - ours.begin());
  const auto window = [](auto begin, auto end) {
    const auto size = std::min<std::ptrdiff_t>(end - begin, kShownIds);
    return std::vector<TokenId>(begin, begin + size);
  };
  difference.ours = window(a, ours.end());
  difference.theirs = window(b, theirs.end());
  return difference;
}

class Rounds {
 public:
  Rounds(const Tokenizer& tokenizer, const TextSet& texts, const Plan& plan, Measurement& result)
      : tokenizer_(tokenizer), texts_(texts), plan_(plan), result_(result) {}

  void verify(Lane& lane, const Expected& expected) {
    guarded(lane, [&] {
      Contestant contestant(lane.entry);
      lane.facts = contestant.load(lane.entry);
      contestant.give_texts(texts_.texts);
      const PassReply reply = contestant.pass(texts_.texts.size());
      if (reply.digest == expected.digest && reply.documents == expected.documents) return;
      lane.standing = Standing::differs;
      lane.difference = find_difference(contestant, tokenizer_, texts_, expected, reply);
      lane.reason = "ids differ from ours";
    });
  }

  void sample(Lane& lane, unsigned round) {
    guarded(lane, [&] {
      Sample sample;
      sample.round = round;
      {
        Contestant contestant(lane.entry);
        sample.load = contestant.load(lane.entry).load;
        contestant.give_texts(texts_.texts);
        for (unsigned pass = 0; pass <= plan_.passes; ++pass) {
          const PassReply reply = contestant.pass();
          if (reply.digest != result_.digest) {
            lane.standing = Standing::differs;
            lane.reason = fmt::format("pass {} of sample {} gave other ids", pass, round);
            return;
          }
          (pass == 0 ? sample.first : sample.later.emplace_back()) = reply.time;
          if (cli::stop_flag()) break;
        }
      }
      if (plan_.first_call_bytes > 0 && !cli::stop_flag()) sample.first_call = first_call(lane);
      lane.samples.push_back(std::move(sample));
    });
  }

 private:
  Seconds first_call(Lane& lane) const {
    std::vector<std::string> command = lane.entry.command;
    if (lane.entry.name == "toktier") {
      const auto program = std::filesystem::path(command[0]).parent_path() / "toktier-encode";
      command = {program.string(), "-m",    lane.entry.model,
                 "--emit",         "count", "--format",
                 "jsonl",          "-j",    "1",
                 "--input-format", "text",  plan_.first_call_file};
    } else {
      command.insert(command.end(), {"--count", lane.entry.name, lane.facts.kind, lane.entry.model,
                                     plan_.first_call_file});
    }
    const ProcessRun run = run_process(command);
    const std::uint64_t count = printed_count(run);
    if (count != result_.first_call_ids) {
      lane.standing = Standing::differs;
      lane.reason = fmt::format("first call: {} ids, expected {}", count, result_.first_call_ids);
    }
    return run.time;
  }

  const Tokenizer& tokenizer_;
  const TextSet& texts_;
  const Plan& plan_;
  Measurement& result_;
};

}  // namespace

const char* name_of(Standing standing) {
  static constexpr const char* kNames[] = {"measured", "differs", "refused", "died"};
  return kNames[static_cast<std::size_t>(standing)];
}

Expected expect(const Tokenizer& tokenizer, const TextSet& texts) {
  Expected expected;
  Tokenizer::Scratch scratch(tokenizer);
  Encoding encoding;
  std::string all;
  for (std::size_t i = 0; i < texts.texts.size(); ++i) {
    tokenizer.encode(texts.texts[i], {}, scratch, encoding);
    expected.documents.push_back(digest_of(encoding.ids.data(), encoding.ids.size()));
    expected.ids += encoding.ids.size();
    all.append(expected.documents.back().data(), expected.documents.back().size());
  }
  expected.digest = sha256_digest(all);
  return expected;
}

Measurement measure(const Tokenizer& tokenizer, const TextSet& texts, std::vector<Lane> lanes,
                    const Plan& plan, const std::function<void(std::string_view)>& note) {
  Measurement result;
  note("our ids");
  const Expected expected = expect(tokenizer, texts);
  result.ids = expected.ids;
  result.digest = expected.digest;
  if (plan.first_call_bytes > 0) {
    const std::string text = beginning(texts, plan.first_call_bytes);
    result.first_call_text_bytes = text.size();
    result.first_call_ids = tokenizer.encode(text).ids.size();
  }
  Rounds rounds(tokenizer, texts, plan, result);
  for (Lane& lane : lanes) {
    if (cli::stop_flag() || lane.standing != Standing::measured) continue;
    note("compare ids of " + lane.entry.name);
    rounds.verify(lane, expected);
  }
  std::mt19937_64 random(plan.seed);
  std::vector<std::size_t> order(lanes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (unsigned round = 1; round <= plan.samples; ++round) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::size_t index : order) {
      Lane& lane = lanes[index];
      if (cli::stop_flag() || lane.standing != Standing::measured) continue;
      note(fmt::format("sample {}/{} of {}", round, plan.samples, lane.entry.name));
      rounds.sample(lane, round);
    }
  }
  result.stopped = cli::stop_flag();
  result.lanes = std::move(lanes);
  return result;
}

}  // namespace toktier::bench
