#pragma once
// What each file of this folder gives to the table. Internal.

#include "replay/mutation.hpp"

namespace toktier::replay::mutations {

std::unique_ptr<Mutation> make_tail_rewrite(const MutationOptions& options);
std::unique_ptr<Mutation> make_compaction(const MutationOptions& options);
std::unique_ptr<Mutation> make_evict_batch(const MutationOptions& options);
std::unique_ptr<Mutation> make_state_replace(const MutationOptions& options);
std::unique_ptr<Mutation> make_memory_facts(const MutationOptions& options);

}  // namespace toktier::replay::mutations
