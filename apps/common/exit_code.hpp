#pragma once
// Exit codes of every program: one table (see the help text), one place where errors become codes.

#include "toktier/error.hpp"

#include <exception>
#include <initializer_list>
#include <string>

namespace toktier::cli {

enum class ExitCode : int {
  ok = 0,           // done, something was checked, all agreed
  divergence = 1,   // divergence, gate failed, slower than allowed
  usage = 2,        // wrong use or configuration
  input = 3,        // input missing or damaged, or nothing was checked at all
  unavailable = 4,  // an engine, oracle, model or device is missing, refused or died
  internal = 70,    // an invariant broke
  stopped = 75,     // stopped early, state valid: run again
};

ExitCode exit_code_of(ErrorCode code);

/// The one that is reported when several apply: 70, 1, 2, 4, 3, 75, 0.
ExitCode worse(ExitCode a, ExitCode b);

/// For help texts.
const char* exit_code_help();

}  // namespace toktier::cli
