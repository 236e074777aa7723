#pragma once
// Half surrogate pairs in JSON escapes. Internal to this room.

#include <cstddef>
#include <string>

namespace toktier::io {

/// Rewrites every \uXXXX escape that is half of a surrogate pair without its other half to \ufffd
/// (same length). Returns how many. `json` must be one JSON value; outside of strings JSON has no
/// backslashes.
std::size_t replace_lone_surrogates(std::string& json);

}  // namespace toktier::io
