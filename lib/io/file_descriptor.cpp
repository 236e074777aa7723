#include "io/file_descriptor.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace toktier::io {

bool FileDescriptor::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor < 0 || !owned_ || ::close(descriptor) == 0;
}

bool stop_requested(StopDescriptor stop) {
  if (stop < 0) return false;
  pollfd wanted{stop, POLLIN, 0};
  return ::poll(&wanted, 1, 0) > 0;
}

bool wait_readable(int descriptor, StopDescriptor stop) {
  if (stop < 0) return true;
  // A negative descriptor would be passed over; a closed one is an event too, and read() says why.
  pollfd wanted[2] = {{stop, POLLIN, 0}, {descriptor, POLLIN, 0}};
  while (::poll(wanted, 2, -1) < 0) {
    if (errno != EINTR && errno != EAGAIN) return true;  // read() will wait instead
  }
  return wanted[0].revents == 0;
}

FileDescriptor open_for_reading(const std::string& path, StopDescriptor stop) {
  if (path == "-") return FileDescriptor(STDIN_FILENO, false);
  // A FIFO without a writer would wait here, where nothing could end it; O_NONBLOCK opens it at
  // once, and poll() then waits for the writer. It changes nothing for files.
  const int flags = O_RDONLY | O_CLOEXEC | (stop >= 0 ? O_NONBLOCK : 0);
  const int descriptor = ::open(path.c_str(), flags);
  if (descriptor < 0)
    throw Error(ErrorCode::input, std::string("cannot open: ") + std::strerror(errno), path);
  FileDescriptor file(descriptor);
  struct stat info {};
  if (fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    throw Error(ErrorCode::input, "is a directory, not a file", path);
  }
  return file;
}

std::size_t read_some(int descriptor, char* to, std::size_t size, const std::string& path,
                      std::size_t offset) {
  for (;;) {
    const ssize_t got = ::read(descriptor, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN) {  // opened with O_NONBLOCK
      pollfd wanted{descriptor, POLLIN, 0};
      (void)::poll(&wanted, 1, -1);
    } else if (errno != EINTR) {
      throw Error(ErrorCode::input,
                  fmt::format("cannot read after byte {}: {}", offset, std::strerror(errno)), path);
    }
  }
}

}  // namespace toktier::io
