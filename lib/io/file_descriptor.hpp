#pragma once
// A file descriptor that closes itself, and reading from it. Value type, movable, not shared
// between threads.

#include <cstddef>
#include <string>
#include <utility>

namespace toktier::io {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes over `descriptor`; `owned` false leaves it open at the end (standard input).
  explicit FileDescriptor(int descriptor, bool owned = true)
      : descriptor_(descriptor), owned_(owned) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), owned_(other.owned_) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      descriptor_ = std::exchange(other.descriptor_, -1);
      owned_ = other.owned_;
    }
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  int get() const { return descriptor_; }
  /// Closes now; returns false when the system reports an error.
  bool close();

 private:
  int descriptor_ = -1;
  bool owned_ = true;
};

/// "-" = standard input. Error{input} with the system's reason; a directory is refused.
FileDescriptor open_for_reading(const std::string& path);
/// Up to `size` bytes; 0 only at the end. `offset` (bytes read before) is only for the message.
std::size_t read_some(int descriptor, char* to, std::size_t size, const std::string& path,
                      std::size_t offset);

}  // namespace toktier::io
