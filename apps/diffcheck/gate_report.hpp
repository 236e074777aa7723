#pragma once
// The verdict of a gate, and its forms.

#include "apps/common/program.hpp"
#include "apps/diffcheck/options.hpp"
#include "diff/campaign.hpp"
#include "diff/file_changes.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace toktier::diffcheck {

// Names of groups in the campaign's verdict begin with their kind.
inline constexpr std::string_view kSourceGroup = "source ", kScriptGroup = "script ";

struct GateResult {
  std::vector<std::string> command;
  std::string before, after, before_fingerprint, after_fingerprint;
  std::vector<diff::FileChange> changes;
  diff::Verdict verdict;
  std::vector<diff::Divergence> examples;
  // By judge():
  std::uint64_t documents = 0, changed = 0, tokens_before = 0, tokens_after = 0;
  double changed_percent = 0, drift_percent = 0;
  std::vector<std::string> failures;  // one line each; empty: passed
  cli::ExitCode code = cli::ExitCode::ok;
};

/// Fills the sums, what fails and the exit code.
void judge(const GateOptions& options, GateResult& result);

std::string gate_text(const GateOptions& options, const GateResult& result);
std::string gate_record(const GateOptions& options, const GateResult& result);
std::string gate_junit(const GateOptions& options, const GateResult& result);

}  // namespace toktier::diffcheck
