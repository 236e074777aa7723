#pragma once
// Groups of options that several sub-commands share.

#include "apps/diffcheck/options.hpp"

namespace toktier::diffcheck {

/// --text, --gen, --exhaustive and what they and records need.
void define_documents(CLI::App& command, RunOptions& options);
/// Models, engines, checks, special tokens.
void define_engines(CLI::App& command, RunOptions& options);
/// --describe, --rounds, --shrink-steps: what is looked at closer.
void define_depth(CLI::App& command, RunOptions& options);

/// --plan and what goes with it; `run` must have all its other options.
void define_shard(CLI::App& run, ShardOptions& options);
/// plan, merge and what is made of a run's folder.
void define_campaign_commands(CLI::App& app, Options& options);

}  // namespace toktier::diffcheck
