#pragma once
// One measurement: a tokenizer, a text, contestants. Ids are compared first; then every round
// starts each contestant in a fresh process, in an order drawn anew: load, first pass over text it
// has not seen, later passes over the same text, and the first call of a whole program. The ids of
// every pass are compared too.

#include "apps/bench/contestant.hpp"
#include "apps/bench/text_set.hpp"
#include "toktier/tokenizer.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace toktier::bench {

struct Sample {
  unsigned round = 0;
  Seconds load, first;
  std::vector<Seconds> later;
  std::optional<Seconds> first_call;
};

enum class Standing {
  measured,  // ids equal to ours in every pass
  differs,   // other ids; nothing is timed from then on
  refused,   // it cannot load the file or encode the text, or is not installed
  died,      // the process ended or gave no answer
};
const char* name_of(Standing standing);

struct Difference {
  std::string document;               // id of the first document that differs
  std::size_t documents = 0;          // how many differ
  std::size_t position = 0;           // first differing id in it
  std::vector<TokenId> ours, theirs;  // from there, a few
};

struct Lane {
  Entry entry;
  Standing standing = Standing::measured;
  std::string reason;
  std::optional<Difference> difference;
  LoadReply facts;
  std::vector<Sample> samples;
};

struct Plan {
  unsigned samples = 5, passes = 3;
  std::uint64_t first_call_bytes = 0;
  std::uint64_t seed = 0;
  std::string first_call_file;  // written by the caller when first_call_bytes > 0
};

struct Measurement {
  std::uint64_t ids = 0;
  Digest digest{};
  std::uint64_t first_call_ids = 0, first_call_text_bytes = 0;
  std::vector<Lane> lanes;  // ours first
  bool stopped = false;
};

/// Our ids of the text, made in this process; the measure of all passes.
struct Expected {
  std::vector<Digest> documents;
  std::uint64_t ids = 0;
  Digest digest{};
};
Expected expect(const Tokenizer& tokenizer, const TextSet& texts);

/// `lanes` whose standing is not `measured` are left as they are. `note` hears what is being done.
/// Looks at the stop flag between steps; what was measured until then is in the result.
Measurement measure(const Tokenizer& tokenizer, const TextSet& texts, std::vector<Lane> lanes,
                    const Plan& plan, const std::function<void(std::string_view)>& note);

}  // namespace toktier::bench
