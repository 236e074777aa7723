#pragma once
// Items of OpenAI's Responses API as Codex records them, in rollouts and on the wire. Internal.

#include "replay/reading.hpp"

#include <string_view>
#include <vector>

namespace toktier::replay::formats {

/// The item as a message. False when it is none: then it has been counted (known to hold no text)
/// or made a problem. `kind` prefixes the record's name in counts.
bool read_codex_item(Reading& reading, Json item, std::string_view field, std::string_view kind,
                     Message& out);

/// All messages of a list of items.
std::vector<Message> read_codex_items(Reading& reading, Json list, std::string_view field,
                                      std::string_view kind);

}  // namespace toktier::replay::formats
