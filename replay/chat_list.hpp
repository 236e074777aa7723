#pragma once
// Lists of chat messages as sessions. Internal to this room.

#include "replay/reading.hpp"

#include <string>
#include <string_view>

namespace toktier::replay {

/// Every message of `list` is a step of its own. Times at "timestamp", usage at "usage" of a
/// message are kept. A list that is none is a problem.
void append_chat_list(Reading& reading, const std::string& key, Json list, std::string_view field);

/// `path` with its last number taken out of the file's name ("x__round_07.json" ->
/// "x__round_#.json", "x-17.2.json" -> "x-#.json"); `path` itself when the name has none. Files of
/// equal series may be calls of one session.
std::string series_of(std::string_view path);

}  // namespace toktier::replay
