#pragma once
// Records {"conversations": [{"from", "value"}, ...]}. Internal.

#include "replay/reading.hpp"

namespace toktier::replay::formats {

/// Every record is a session.
void read_conversations(Input& input, Reading& reading);

}  // namespace toktier::replay::formats
