#pragma once
// The built-in chat templates. Internal to this room.

#include <span>
#include <string_view>

namespace toktier::replay {

/// One JSON text a template.
std::span<const std::string_view> template_table();

}  // namespace toktier::replay
