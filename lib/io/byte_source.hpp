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

namespace toktier::io {

class ByteSource {
 public:
  /// "-" = standard input. No limit on the length by default: streams are not held in memory.
  /// After `stop` the source is at its end and stopped().
  static ByteSource open(const std::string& path, std::uint64_t max_bytes = ~std::uint64_t{0},
                         StopDescriptor stop = -1);
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
  bool stopped() const;          ///< the end is not that of the data: what it cuts is not whole

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier::io
