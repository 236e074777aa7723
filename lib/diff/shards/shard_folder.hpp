#pragma once
// The folder of one shard of a run: RUN/shards/00003-of-00064/. Nobody else writes into it.
//
//   lock               host and process that hold it; the lock itself is the system's (flock), so
//   it
//                      ends with its process, however that ends
//   plan.json          the plan it runs
//   state.json         how far it is, rewritten whole after each unit
//   units.jsonl        finished units (line_log.hpp)
//   divergences.jsonl  what was found, written before the line of its unit

#include "diff/shards/line_log.hpp"
#include "io/file_descriptor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::diff::shards {

/// "00003-of-00064".
std::string shard_name(std::uint64_t shard, std::uint64_t shards);

/// Holds the lock until its end. Error{unavailable} naming who holds it.
class ShardLock {
 public:
  /// Makes the folder.
  explicit ShardLock(const std::string& folder);
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  io::FileDescriptor file_;
};

/// One shard folder as merge finds it.
struct FoundShard {
  std::string folder;
  std::uint64_t shard = 0, shards = 0;
};
/// Folders below RUN/shards whose names are those of shards, sorted by name. Error{input} when
/// there is no such folder RUN.
std::vector<FoundShard> find_shards(const std::string& run);

/// "HOST" of this machine.
std::string host_name();

}  // namespace toktier::diff::shards
