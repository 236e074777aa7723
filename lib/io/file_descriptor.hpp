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

/// What ends reading from outside: a descriptor (of an eventfd or a pipe) that becomes readable
/// when reading should end, say by a signal handler. Waiting for input, also for the writer of a
/// FIFO, waits for this too. -1: nothing does. It must stay open as long as anything reads.
using StopDescriptor = int;
bool stop_requested(StopDescriptor stop);

/// "-" = standard input. Error{input} with the system's reason; a directory is refused. With `stop`
/// the FIFO without a writer is opened at once; use wait_readable() before read_some().
FileDescriptor open_for_reading(const std::string& path, StopDescriptor stop = -1);
/// Waits until reading would not wait. False when `stop` was first.
bool wait_readable(int descriptor, StopDescriptor stop);
/// Up to `size` bytes; 0 only at the end. `offset` (bytes read before) is only for the message.
std::size_t read_some(int descriptor, char* to, std::size_t size, const std::string& path,
                      std::size_t offset);

}  // namespace toktier::io
