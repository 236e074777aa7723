#pragma once
// One reader for each form of record, all over a byte source (plain or zstd).

#include "io/byte_source.hpp"
#include "io/document.hpp"

#include <memory>
#include <string>

namespace toktier::io {

enum class RecordForm {
  automatic,  ///< jsonl when the first line is a JSON object with the text field, else text
  text,       ///< one document per file
  lines,      ///< one document per line ("\r\n" ends a line too); empty lines are empty documents
  jsonl,      ///< one JSON object per line; blank lines are skipped
};

/// What to do with a JSON line that is not UTF-8, and with half of a surrogate pair in a \uXXXX
/// escape, which has no UTF-8 form.
enum class IllFormed {
  error,    ///< Error{input}
  replace,  ///< U+FFFD for each maximal ill-formed part of the line, and for the escape
  mark,     ///< Document::not_utf8; the text is empty when the line itself is not UTF-8
};

struct RecordOptions {
  RecordForm form = RecordForm::automatic;
  // JSON pointers (RFC 6901) into each record. The text must be a string and present; id (string or
  // integer) and lang (string) are optional. Of equal keys the first counts.
  std::string text_pointer = "/text";
  std::string id_pointer = "/id";
  std::string lang_pointer = "/lang";
  IllFormed ill_formed = IllFormed::error;
  // Of a source that begins inside its file: what its first byte is there.
  std::uint64_t first_line = 1;
  std::uint64_t first_byte = 0;
};

/// The form asked for; of `automatic` what the start of the source says, which is not consumed.
RecordForm form_of(ByteSource& source, const RecordOptions& options);

/// `name` is what documents call their source; usually source.path(). Error{usage} for a malformed
/// pointer.
std::unique_ptr<DocumentReader> read_documents(ByteSource source, const std::string& name,
                                               const RecordOptions& options);

}  // namespace toktier::io
