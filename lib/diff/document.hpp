#pragma once
// Documents, blocks of them, and where they come from.

#include "toktier/types.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace toktier::diff {

struct Document {
  std::string text;
  std::string id;      // unique inside its origin: a path, a record's id, "U+0041"
  std::string origin;  // file or generator
  /// Ids quoted by the source (a bug report, a vector file), to be confirmed by the reference.
  std::vector<TokenId> quoted;
  bool has_quoted = false;
  // Of a file: the record's line (0: the file is the document) and first byte, and the byte that
  // the text begins with (kNowhere: see io::Document).
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  std::uint64_t line = 0, record_begin = kNowhere, text_begin = kNowhere;
};

struct Block {
  std::uint64_t sequence = 0;
  std::vector<Document> documents;
};

/// A stream of documents, read once, by one thread at a time. Errors: as Error{input}.
class DocumentSource {
 public:
  virtual ~DocumentSource() = default;
  /// False at the end.
  virtual bool next(Document& document) = 0;
  /// For the progress line: bytes or documents, whatever position() counts; 0 = not known.
  virtual std::uint64_t total() const { return 0; }
  virtual std::uint64_t position() const { return 0; }
  /// Leaves only cases `begin` .. `end` - 1 of those that total() counts; false: this source has
  /// no numbered cases. Call before next().
  virtual bool select(std::uint64_t begin, std::uint64_t end) {
    (void)begin, (void)end;
    return false;
  }
  /// Cases the source left out, by reason; complete at the end of the stream.
  virtual std::vector<std::pair<std::string, std::uint64_t>> left_out() const { return {}; }
  /// How many of them because the input is damaged.
  virtual std::uint64_t failed() const { return 0; }
};

/// Sources one after another.
std::unique_ptr<DocumentSource> chain(std::vector<std::unique_ptr<DocumentSource>> sources);

/// Texts in memory.
std::unique_ptr<DocumentSource> from_list(std::vector<Document> documents);

}  // namespace toktier::diff
