#pragma once
// The formats of transcripts: one row each. Internal to this room; users see read.hpp.

#include "replay/outline.hpp"
#include "replay/reading.hpp"

#include <span>
#include <string_view>

namespace toktier::replay {

struct Format {
  std::string_view name;
  std::string_view what;
  /// The content looks like it. Asked in the order of the table, so a row sees only what the rows
  /// before it left.
  bool (*recognise)(const Outline& outline);
  /// Reads to the end; whatever cannot be read becomes a problem. Throws only Error{input} when
  /// nothing behind the damage can be read, and for failures of the system.
  void (*read)(Input& input, Reading& reading);
};

std::span<const Format> format_table();
const Format* format_named(std::string_view name);
/// Null when no row knows the content.
const Format* recognise(const Outline& outline);

}  // namespace toktier::replay
