#include "store/record_rows.hpp"

#include "store/packed.hpp"
#include "toktier/types.hpp"

namespace toktier::store {

bool PartRow::same_as(const PartRow& other) const {
  return leaf == other.leaf && outline.kind == other.outline.kind &&
         outline.bytes == other.outline.bytes && outline.tokens == other.outline.tokens &&
         digest == other.digest;
}

std::int64_t leaf_size(std::size_t packed) {
  constexpr std::int64_t kRows = 64;  // beside the bytes: rows and their places in indexes
  return static_cast<std::int64_t>(packed) + kRows;
}

Digest record_digest(const RecordRow& record, const std::vector<PartRow>& parts) {
  PackedWriter out;
  out.text(record.maker.key());
  out.text(record.name);
  out.number(static_cast<std::uint64_t>(record.format), 8);
  out.number(record.bytes, 8);
  out.number(record.tokens, 8);
  out.number(parts.size(), 8);
  out.text(record.marks);
  for (const PartRow& part : parts) {
    out.number(static_cast<std::uint64_t>(part.outline.kind), 1);
    out.number(part.outline.bytes, 8);
    out.number(part.outline.tokens, 8);
    out.bytes(view(part.digest));
  }
  return digest_of(out.out());
}

bool holds_together(const RecordRow& record, const std::vector<PartRow>& parts) {
  std::uint64_t bytes = 0;
  std::uint64_t tokens = 0;
  for (const PartRow& part : parts) {
    if (part.outline.bytes > kMaxDocumentBytes || part.outline.tokens > kMaxDocumentBytes)
      return false;
    bytes += part.outline.bytes;
    tokens += part.outline.tokens;
  }
  return parts.size() == record.parts && bytes == record.bytes && tokens == record.tokens &&
         bytes <= kMaxDocumentBytes && record.digest == view(record_digest(record, parts));
}

}  // namespace toktier::store
