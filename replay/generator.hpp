#pragma once
// Sessions that never were, with sizes and times as real ones have them.
//
// A session begins with instructions and grows, answer and input by turns, until what was appended
// reaches a size drawn for it. A call is cold when nothing of its context was in the call before:
// the first of a session, and those before which the context is replaced by a short one; how often
// that happens makes the wanted share. Times are milliseconds since the trace's own start: sessions
// begin at random at a rate, an answer takes its length, the next input some time.

#include "replay/sink.hpp"
#include "replay/size_law.hpp"
#include "replay/text_supply.hpp"

#include <atomic>
#include <cstdint>

namespace toktier::replay {

struct GeneratorPlan {
  std::uint64_t sessions = 100;
  SizeLaw append{1400, 11000};          ///< characters
  SizeLaw first{4000, 12000};           ///< characters
  SizeLaw context{150'000, 1'500'000};  ///< characters appended in a session
  std::uint64_t most_context = 8'000'000;
  double cold = 0.02;  ///< share of the calls
  double sessions_per_second = 0.2;
  SizeLaw pause_ms{4000, 60000};  ///< from an answer to the next input
  std::uint64_t seed = 0;
};

/// What the law of appends gives on average: how many calls a session of a size has.
double mean_of(const SizeLaw& law, std::uint64_t most);

/// Gives sessions one after the other. Ends between steps when `stop` is set.
void generate(const GeneratorPlan& plan, TextSupply& text, Sink& sink,
              const std::atomic<bool>* stop = nullptr);

}  // namespace toktier::replay
