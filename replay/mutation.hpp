#pragma once
// What agent runtimes do to a prompt between two calls, as named policies.
//
// A policy sees the history of a session before each call and says which messages the prompt is
// made of. It keeps its own memory of the session; everything random comes from the number it is
// given, so a workload depends on its seed alone.

#include "replay/seeded.hpp"
#include "replay/transcript.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace toktier::replay {

using MessagePtr = std::shared_ptr<const Message>;

struct MutationOptions {
  std::uint64_t budget = 65536;  ///< bytes of texts above which a policy takes something away
};

struct BeforeCall {
  const std::vector<MessagePtr>& history;  ///< all messages, the oldest first
  std::uint64_t turn = 0;                  ///< number of the call, from 1
  std::uint64_t random = 0;                ///< of this session and turn
};

/// One session's policy.
class Mutation {
 public:
  virtual ~Mutation() = default;
  /// The messages of the prompt.
  virtual std::vector<MessagePtr> prompt(const BeforeCall& before) = 0;
  /// The transcript itself was rolled back or compacted: only the first `kept` messages are those
  /// that were seen.
  virtual void forget(std::uint64_t kept) = 0;
};

struct MutationRow {
  std::string_view name, what;
  /// Null: prompts are the history itself.
  std::unique_ptr<Mutation> (*make)(const MutationOptions& options);
  /// Sessions are forked and rewound as well (see WorkloadMaker).
  bool branches = false;
};
std::span<const MutationRow> mutation_table();
/// Error{usage} with the nearest name.
const MutationRow& find_mutation(std::string_view name);

// --- What policies share -------------------------------------------------------------------------

MessagePtr note(Role role, std::string_view text);
/// Bytes of the texts of its parts.
std::uint64_t bytes_of(const Message& message);
/// The messages of the system at the start of a history.
std::size_t leading_system(const std::vector<MessagePtr>& history);
/// The start of what a message says, at most `limit` bytes, whole characters, no line ends.
std::string head_of(const Message& message, std::size_t limit);

}  // namespace toktier::replay
