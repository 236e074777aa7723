#pragma once
// A chain of splits as one automaton, when that can be proven.
//
// Every split but the last must cut by one set C only: into maximal runs of C and of the rest, or
// the runs of C into chunks. Then each character belongs to a domain (in which of the sets it is),
// a cut stands wherever the domain changes, and inside a domain the last split runs and reads a
// character of another domain as the end of the text. In the domain of chunks the chunks themselves
// are the pieces, provided the last split leaves each whole (checked by enumeration).

#include "pretok/automaton.hpp"
#include "pretok/steps/step.hpp"

#include <memory>
#include <string>
#include <vector>

namespace toktier::pretok {

/// Null, and the reason, when the chain does not fold. `chain` may be empty: the whole text is one
/// piece.
std::unique_ptr<Automaton> fold_chain(const std::vector<const PatternStep*>& chain,
                                      std::string* reason);

}  // namespace toktier::pretok
