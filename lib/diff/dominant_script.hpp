#pragma once
// The script that most letters of a text belong to: what a group of texts in one language has in
// common, where nothing says the language. Pure.

#include <string_view>

namespace toktier::diff {

/// "Latin", "Han", ...; "several" when no script has half of the letters looked at, "none" without
/// letters. A fifth of kana makes "Japanese" of what is Han otherwise. Looks at the first 4096
/// bytes and not behind ill-formed ones.
std::string_view dominant_script(std::string_view text);

}  // namespace toktier::diff
