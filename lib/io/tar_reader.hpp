#pragma once
// Members of a tar archive (POSIX ustar and pax, GNU long names) as documents.
//
// Memory: that of the reader of one member; members are streamed. Members that are packed with zstd
// are unpacked, and each is read in the record form asked for. Directories, links and devices are
// passed over; sparse members are refused.

#include "io/document_readers.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace toktier::io {

/// `start` = the first 512 bytes: magic and checksum of a tar header.
bool is_tar(std::string_view start);

/// Documents are named "ARCHIVE!MEMBER". Error{input} naming archive and offset when the archive is
/// damaged or cut off.
std::unique_ptr<DocumentReader> read_tar(ByteSource source, const std::string& name,
                                         const RecordOptions& options);

}  // namespace toktier::io
