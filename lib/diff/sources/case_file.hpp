#pragma once
// Case files: one JSON object a line, a small text or a generator of one, the tokenizer it is for,
// and what was observed.
//
// Fields: id, tokenizer, text or generator, op (absent = plain encode), expect (ids or null), note.
// Generators of texts: repeat+count, concat, codepoints, range+sep, bytes_hex, utf16_units
// (unpaired units become U+FFFD), normalize+of, lcg; parts may be nested to a depth of 32.

#include "diff/document.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff::sources {

struct Case {
  Document document;
  std::string tokenizer;  // name as the file has it
  bool with_bos = false;  // the note says so: to be encoded with special tokens added
};

struct CaseFile {
  std::vector<Case> cases;                        // plain encodes
  std::map<std::string, std::uint64_t> left_out;  // by "op NAME", "generator NAME", "mutation"
  std::uint64_t total = 0;
};

/// Error{input} naming file and line.
CaseFile read_case_file(const std::string& path);

}  // namespace toktier::diff::sources
