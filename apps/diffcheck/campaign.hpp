#pragma once
// Campaigns in shards: plan, run --plan, merge. What all of them share.

#include "apps/diffcheck/contest.hpp"
#include "apps/diffcheck/options.hpp"
#include "diff/document.hpp"
#include "diff/shards/plan.hpp"

#include <memory>
#include <string>

namespace toktier::diffcheck {

/// `conduct` with what the plan settles: engine, checks, special tokens, depth; no limit on
/// divergences, for where a unit ends must not depend on what it finds.
RunOptions planned_options(const RunOptions& conduct, const diff::shards::PlanSettings& settings);

/// The cases of a generator or an alphabet, all of them; select() takes part. Error{usage} as
/// open_documents().
std::unique_ptr<diff::DocumentSource> open_cases(const diff::shards::Plan& plan,
                                                 const diff::shards::PlanSource& source,
                                                 const LoadedModel& model);

/// What names the file that was planned for: the library's fingerprint, or that of the bytes.
std::string fingerprint_of(const LoadedModel& model);

}  // namespace toktier::diffcheck
