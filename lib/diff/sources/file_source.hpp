#pragma once
// Files and folders as documents, through the readers of the io room.

#include "diff/document.hpp"
#include "io/document_readers.hpp"

#include <memory>
#include <string>
#include <vector>

namespace toktier::diff::sources {

/// Files in the order given; a folder stands for its regular files, recursively, sorted by path,
/// others (dangling links, FIFOs) counted as left out. Opened one at a time. Error{input} when
/// something is missing; what is damaged is left out, counted by reason and by failed(). `stop`
/// ends the stream early.
std::unique_ptr<DocumentSource> from_files(const std::vector<std::string>& paths,
                                           const io::RecordOptions& options,
                                           io::StopDescriptor stop = -1);

}  // namespace toktier::diff::sources
