#pragma once
// Numbers of transcripts: sizes of appends and contexts, calls, what happened to contexts, gaps.
//
// Sizes are those of size_of(): texts of messages, no templates. Memory: 16 bytes per append, and
// per message of each open session. Not thread-safe.

#include "replay/sink.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::replay {

/// Values, kept whole: exact quantiles.
class Distribution {
 public:
  void add(std::uint64_t value) {
    values_.push_back(value);
    sum_ += value;
  }
  void merge(const Distribution& other);
  std::uint64_t count() const { return values_.size(); }
  std::uint64_t sum() const { return sum_; }
  /// The value at position floor(share * count) of the sorted values, the last at most; 0 when
  /// there are none.
  std::uint64_t quantile(double share) const;
  std::uint64_t max() const { return quantile(1.0); }
  /// In no order.
  const std::vector<std::uint64_t>& values() const { return values_; }

 private:
  mutable std::vector<std::uint64_t> values_;
  mutable std::size_t sorted_ = 0;  // so many values are sorted
  std::uint64_t sum_ = 0;
};

/// Gaps between the end of one call and the first text of the next one, by length.
struct Gaps {
  static constexpr std::array<std::int64_t, 6> kLimitsMs = {1000,   10000,   60000,
                                                            300000, 3600000, 86400000};
  std::array<std::uint64_t, kLimitsMs.size() + 1> counts{};  ///< the last: longer than all limits
  std::uint64_t total = 0;
  std::uint64_t backwards = 0;  ///< times that run backwards; not in the others
};

struct Statistics {
  std::uint64_t files = 0, sessions = 0, forks = 0;
  std::uint64_t messages = 0;  ///< all, those of replacements left out
  std::uint64_t appends = 0;   ///< all but the first of each session
  std::uint64_t empty_appends = 0;
  std::uint64_t calls = 0;           ///< runs of messages of the model
  std::uint64_t cold_calls = 0;      ///< of these, with nothing of the call before in their context
  std::uint64_t recorded_calls = 0;  ///< the transcript says so
  std::uint64_t turns = 0;           ///< runs of other messages, with the answer to each
  std::uint64_t rewinds = 0, rewound_messages = 0, rewound_chars = 0;
  std::uint64_t compactions = 0, compacted_chars = 0;
  std::uint64_t snapshots = 0;
  // Characters, and bytes for appends.
  Distribution append_chars, append_bytes, context_chars, all_chars, first_chars;
  Distribution appends_per_session, growth_per_call;
  std::uint64_t prompt_chars = 0;  ///< sum of the contexts of all calls
  std::uint64_t new_chars = 0;     ///< of these, what the call before did not have
  // Tokens by cold encode of each text, when a counter was given.
  bool counted = false;
  Distribution append_tokens, context_tokens;
  // Lengths-only rounds: tokens.
  std::uint64_t rounds = 0, round_drops = 0, round_short_prefixes = 0;
  Distribution round_prefix, round_append;
  // As the providers counted.
  std::uint64_t usages = 0, usage_input = 0, usage_cached = 0, usage_output = 0;
  Gaps gaps;

  void merge(const Statistics& other);
};

/// Tokens of a text, by a cold encode.
using TokenCounter = std::function<std::uint64_t(std::string_view)>;

/// Gathers statistics by format.
class StatisticsSink : public Sink {
 public:
  /// With a counter the texts of open sessions are kept in memory.
  explicit StatisticsSink(TokenCounter counter = {}) : counter_(std::move(counter)) {}
  const std::map<std::string, Statistics, std::less<>>& by_format() const { return by_format_; }
  Statistics total() const;
  std::uint64_t problems() const { return problems_; }

  void open(const Session& session) override;
  void step(const std::string& key, Step&& step) override;
  void close(const std::string& key) override;
  void problem(const Problem&) override { ++problems_; }
  void record(std::string_view, std::string_view, Use) override {}
  void file_done(const std::string&, std::string_view format) override {
    if (!format.empty()) ++by_format_[std::string(format)].files;
  }

 private:
  struct Open {
    std::string format;
    std::vector<Size> sizes;          // of the context's messages
    std::vector<std::string> texts;   // with a counter
    std::uint64_t context_chars = 0;  // now
    std::uint64_t all_chars = 0;      // of everything that was appended
    std::uint64_t messages = 0;
    std::uint64_t call_context = 0;  // of the call before
    std::uint64_t kept = 0;          // least context since then: what a cache could reuse
    bool model_before = false, any = false;
    std::optional<std::int64_t> last_time;
    std::optional<Round> round;
  };
  void append(Open& open, Statistics& to, const Message& message, const Step& step,
              bool replacement);
  void cut(Open& open, std::size_t begin, std::size_t end);

  TokenCounter counter_;
  std::map<std::string, Statistics, std::less<>> by_format_;
  std::map<std::string, Open> open_;
  std::uint64_t problems_ = 0;
};

}  // namespace toktier::replay
