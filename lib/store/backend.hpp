#pragma once
// Where a store keeps its records. A backend is used by one thread at a time.

#include "encode/pipeline.hpp"
#include "session/state.hpp"
#include "store/maker.hpp"
#include "toktier/store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace toktier::store {

/// Why there is no session.
enum class Miss : std::uint8_t { absent, expired, evicted, foreign, corrupt, format };

/// Milliseconds, as StoreOptions::clock.
using Time = std::int64_t;

struct Limits {
  std::uint64_t budget_bytes = 0;
  Time ttl = 0;  // 0: none
};

/// Who asks, and with which stages the answer is checked.
struct Asker {
  const Maker& maker;
  const encode::Pipeline& pipeline;
};

struct Found {
  session::State state;   // leaves that hold the first `bytes` bytes and one more, or all
  std::size_t bytes = 0;  // as many of the text are those asked for
  std::string name;
};

/// The latest records that are compared byte by byte when a text is looked for.
inline constexpr std::size_t kCompared = 16;
/// Names that were removed by time or budget are remembered, the latest so many.
inline constexpr std::size_t kRemembered = 4096;

class Backend {
 public:
  virtual ~Backend() = default;
  /// False: larger than the budget, and nothing has the name.
  virtual bool put(std::string_view name, const Maker& maker, const session::State& state,
                   Time now) = 0;
  virtual std::variant<session::State, Miss> get(std::string_view name, const Asker& asker,
                                                 Time now) = 0;
  virtual std::variant<Found, Miss> find(std::string_view text, const Asker& asker, Time now) = 0;
  virtual bool drop(std::string_view name) = 0;
  virtual void trim(Time now) = 0;
  virtual std::vector<StoredSession> list(Time now) = 0;
  /// What a record holds comes from outside the process.
  virtual bool durable() const = 0;
  /// `entries`, `bytes`, `records_expired`, `records_evicted`; the rest is the caller's.
  virtual void count(StoreCounters& counters) = 0;
};

std::unique_ptr<Backend> memory_backend(const Limits& limits);
/// Opens or makes a file; see SessionStore.
std::unique_ptr<Backend> sqlite_backend(const std::string& path, const Limits& limits);

}  // namespace toktier::store
