#pragma once
// Text made visible, and back: the form used in previews, windows and on the command line
// (`--text`). Pure functions.
//
// Printable ASCII stands for itself; the rest is \n \r \t \\ , \u{HEX} for a character and \xHH for
// a byte that is not part of well-formed UTF-8. unescape(escape(s)) == s for all bytes.

#include <cstddef>
#include <string>
#include <string_view>

namespace toktier::report {

std::string escape(std::string_view bytes);
/// At most about `limit` characters of escape(bytes), with the number of bytes left out:
/// "abc...(+12 bytes)".
std::string escape_preview(std::string_view bytes, std::size_t limit);
/// Throws Error{usage} with the position of a malformed escape.
std::string unescape(std::string_view text);
/// As one word for a POSIX shell.
std::string shell_quote(std::string_view text);

}  // namespace toktier::report
