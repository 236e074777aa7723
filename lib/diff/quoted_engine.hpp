#pragma once
// An engine that only knows the ids quoted for given texts: recorded vectors as a reference.

#include "diff/document.hpp"
#include "diff/engine.hpp"

#include <memory>
#include <vector>

namespace toktier::diff {

/// Answers ids for the texts of `documents`, refuses all others. `name` names the collection.
std::unique_ptr<Engine> make_quoted_engine(const std::string& name,
                                           const std::vector<Document>& documents);

}  // namespace toktier::diff
