#pragma once
// A pre-tokenizer chain as one line of text: for test tables, records and the probe tool.
//
// Fields are separated by tabs, one a step; the words of a step by blanks. Strings are
// percent-encoded (everything but printable ASCII without '%' and blank). Examples:
//   Split regex isolated 0 \p{N}{1,3}        ByteLevel 0 1 (add_prefix_space use_regex)
//   Digits 1   Punctuation contiguous   Metaspace %E2%96%81 first 0   Whitespace   WhitespaceSplit
//   Bert CharDelimiterSplit 7C (hex code point)   UnicodeScripts   FixedLength 5

#include "model/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace toktier::pretok {

/// Throws Error{input} naming the step.
std::vector<model::PreTokenizer> parse_chain(std::string_view line);

std::string percent_decode(std::string_view text);

}  // namespace toktier::pretok
