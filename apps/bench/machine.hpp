#pragma once
// Facts of the machine that a number without them says nothing about.

#include <array>
#include <string>

namespace toktier::bench {

struct Machine {
  std::string cpu;          // model name
  unsigned processors = 0;  // online
  unsigned allowed = 0;     // this process may use; filled by the caller
  std::string flags;        // those instruction sets that tokenizers use
  std::string kernel;
};
Machine machine();

/// Load averages over 1, 5 and 15 minutes.
std::array<double, 3> load_average();

/// "2026-01-31T12:00:00Z".
std::string utc_now();
/// The command line of this process, quoted for a shell.
std::string command_line();

}  // namespace toktier::bench
