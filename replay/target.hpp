#pragma once
// What a workload is carried out on: a session of the library, or one with a planted fault, which
// shows that a run finds faults.

#include "replay/workload.hpp"
#include "toktier/session.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace toktier::replay {

/// The calls of toktier::Session that a workload makes; one thread at a time.
class Target {
 public:
  using Scratch = Tokenizer::Scratch;
  virtual ~Target() = default;
  virtual Patch append(std::string_view text, Scratch& scratch) = 0;
  virtual Patch edit(std::size_t begin, std::size_t end, std::string_view text,
                     Scratch& scratch) = 0;
  virtual Patch update(std::string_view full, Scratch& scratch) = 0;
  virtual Patch rewind(std::size_t bytes, Scratch& scratch) = 0;
  virtual std::unique_ptr<Target> fork() const = 0;
  virtual std::size_t tokens() const = 0;
  virtual std::vector<TokenId> snapshot() const = 0;
  virtual const SessionStatistics& statistics() const = 0;
  virtual std::size_t memory() const = 0;
};
/// Makes an empty one.
using TargetMaker = std::function<std::unique_ptr<Target>()>;

/// The tokenizer must outlive the maker. Making one throws what toktier::Session() throws.
TargetMaker session_targets(const Tokenizer& tokenizer, const SessionOptions& options);

/// Targets without state, for comparison: every change encodes the whole text, and a patch is what
/// follows the common beginning of the ids before.
TargetMaker whole_encodes(const Tokenizer& tokenizer, const EncodeOptions& options);

/// The calls for one step; of a fork, those that follow Target::fork(). Patches are added in order.
void carry_out(const WorkStep& step, Target& target, Tokenizer::Scratch& scratch,
               std::vector<Patch>& patches);

/// Faults that appends have from the third call on.
enum class Planted {
  keep,      ///< a patch keeps one token too many
  id,        ///< the last id of a patch is off by one, and so is the snapshot
  snapshot,  ///< the snapshot lacks its last id; patches are right
};
std::optional<Planted> planted_named(std::string_view name);

TargetMaker with_fault(TargetMaker sound, Planted fault);

}  // namespace toktier::replay
