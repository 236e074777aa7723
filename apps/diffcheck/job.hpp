#pragma once
// What a run consists of: jobs, each one model with its documents.

#include "apps/common/program.hpp"
#include "apps/diffcheck/options.hpp"
#include "diff/document.hpp"
#include "toktier/tokenizer.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace toktier::diffcheck {

struct Job {
  std::string model;      // as given or found
  bool optional = false;  // from --models-all: a refused file is a row, not a failure
  /// Recorded answers that stand for a reference; empty: the engines of --against.
  std::string quoted_name;
  std::vector<diff::Document> quoted;
  /// Fixed documents (cases, vectors); used instead of the inputs when `fixed`.
  bool fixed = false;
  std::vector<diff::Document> documents;
};

struct Jobs {
  std::vector<Job> jobs;
  std::map<std::string, std::uint64_t> left_out;  // cases and vectors that no job took, by reason
};

/// Models crossed with inputs, plus the groups of case and vector files. Error{usage} when there is
/// nothing to do.
Jobs plan_jobs(const RunOptions& options);

/// The stream of documents for one pass over `job`; null tokenizer: generators that need a
/// vocabulary are refused.
std::unique_ptr<diff::DocumentSource> open_documents(const RunOptions& options, const Job& job,
                                                     std::shared_ptr<const Tokenizer> tokenizer,
                                                     std::uint64_t seed);

/// "bytes" or "docs": what the progress of the stream counts.
const char* progress_unit(const RunOptions& options, const Job& job);

}  // namespace toktier::diffcheck
