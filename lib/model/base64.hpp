#pragma once
// Standard base64 with padding (RFC 4648, section 4), strict: no blanks, no line ends, no stray
// bits.

#include <string>
#include <string_view>

namespace toktier::model {

/// Appends the decoded bytes to `out`; false when `text` is not valid, `out` is then unspecified.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace toktier::model
