#pragma once
// A stream of bytes from a file, standard input or memory, with zstd removed on the way. Memory use
// does not depend on the length of the file. Not thread-safe; one object per thread.
//
// Errors: Error{input} naming the file and a byte offset in the packed file, for unreadable,
// damaged or cut-off input and when more than `max_bytes` come out.

#include "io/read_all.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace toktier::io {

class ByteSource {
 public:
  /// "-" = standard input. No limit on the length by default: streams are not held in memory.
  static ByteSource open(const std::string& path, std::uint64_t max_bytes = ~std::uint64_t{0});
  /// `bytes` must outlive the source.
  static ByteSource from_memory(std::string_view bytes, const std::string& shown_path,
                                std::uint64_t max_bytes = ~std::uint64_t{0});
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  /// Fills up to `size` bytes; fewer only at the end, 0 when nothing is left.
  std::size_t read(char* to, std::size_t size);
  /// The next bytes without consuming them: at least `size` unless the end is nearer. At most 1
  /// MiB. Valid until the next call.
  std::string_view peek(std::size_t size);

  const std::string& path() const;
  bool packed() const;           ///< zstd was found
  std::uint64_t offset() const;  ///< unpacked bytes given out so far

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier::io
