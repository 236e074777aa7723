#pragma once
// Rows of ids in files, one a line: what `decode` and `check-ids` read.

#include "apps/common/program.hpp"
#include "apps/encode/options.hpp"
#include "toktier/types.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::encode_app {

struct IdRecord {
  std::string id;  // as JSON text; empty when the line has none
  std::vector<TokenId> ids;
};

/// Calls `use` for each row of the inputs and writes what it returns. An Error it throws is the
/// row's; the run goes on (see Failures). `done`: what was done with a row, for the last line.
cli::ExitCode for_each_row(const Options& options, const cli::CommonOptions& common,
                           std::string_view done,
                           const std::function<std::string(const IdRecord&)>& use);

}  // namespace toktier::encode_app
