#pragma once
// A stream of bytes from a file, standard input or memory, with zstd removed on the way. Memory use
// does not depend on the length of the file. Not thread-safe; one object per thread.
//
// Errors: Error{input} naming the file and a byte offset in the packed file, for unreadable,
// damaged or cut-off input and when more than `max_bytes` come out.

#include "io/file_descriptor.hpp"
#include "io/read_all.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::io {

/// A part of a file's content. `frame`: byte of the file at which reading begins, the start of a
/// zstd frame when it is packed; `skip`: content to pass over from there; `bytes`: content to give.
struct Slice {
  bool packed = false;
  std::uint64_t frame = 0;
  std::uint64_t skip = 0;
  std::uint64_t bytes = 0;
};

/// Where zstd frames begin: in the file, and in its content.
struct FrameStart {
  std::uint64_t packed = 0;
  std::uint64_t unpacked = 0;
};

class ByteSource {
 public:
  /// "-" = standard input. No limit on the length by default: streams are not held in memory.
  /// After `stop` the source is at its end and stopped().
  static ByteSource open(const std::string& path, std::uint64_t max_bytes = ~std::uint64_t{0},
                         StopDescriptor stop = -1);
  /// A part of a regular file. It may lack bytes at its end; then the source ends early.
  static ByteSource open_slice(const std::string& path, const Slice& slice);
  /// The next `size` bytes of `whole`, as a source of their own, unpacked when they are zstd. It
  /// may end before it has taken them all from `whole`, which must outlive it, stay where it is
  /// and be left alone meanwhile. Error{input} when `whole` ends before.
  static ByteSource part_of(ByteSource& whole, std::uint64_t size, const std::string& shown_path);
  /// `bytes` must outlive the source.
  static ByteSource from_memory(std::string_view bytes, const std::string& shown_path,
                                std::uint64_t max_bytes = ~std::uint64_t{0});
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  /// Fills up to `size` bytes; fewer only at the end, 0 when nothing is left.
  std::size_t read(char* to, std::size_t size);
  /// The same without waiting for more than the first byte: what a pipe or terminal has now.
  std::size_t read_available(char* to, std::size_t size);
  /// The next bytes without consuming them: at least `size` unless the end is nearer. At most 1
  /// MiB. Valid until the next call.
  std::string_view peek(std::size_t size);
  /// The same, but no further than the block in which the first newline stands.
  std::string_view peek_line(std::size_t size);

  const std::string& path() const;
  bool packed() const;           ///< zstd was found
  std::uint64_t offset() const;  ///< unpacked bytes given out so far
  /// Of a packed file: where frames begin from here on, noted as bytes are produced, also after
  /// the source was moved. The caller may take out what it no longer needs, between reads.
  std::shared_ptr<std::vector<FrameStart>> record_frames();
  bool stopped() const;  ///< the end is not that of the data: what it cuts is not whole

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier::io
