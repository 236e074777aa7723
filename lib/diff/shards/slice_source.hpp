#pragma once
// The documents of a portion's slices, checked against what the plan saw.

#include "diff/document.hpp"
#include "diff/shards/plan.hpp"
#include "io/file_descriptor.hpp"

#include <memory>

namespace toktier::diff::shards {

/// Damaged records are left out and counted as by sources::from_files(). Error{input} at the end of
/// a slice whose documents are not those that were planned. `stop` ends the stream between slices.
/// `plan` and `portion` must outlive it.
std::unique_ptr<DocumentSource> open_slices(const Plan& plan, const PlanPortion& portion,
                                            io::StopDescriptor stop = -1);

}  // namespace toktier::diff::shards
