#include "io/file_descriptor.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace toktier::io {

bool FileDescriptor::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor < 0 || !owned_ || ::close(descriptor) == 0;
}

FileDescriptor open_for_reading(const std::string& path) {
  if (path == "-") return FileDescriptor(STDIN_FILENO, false);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
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
    if (errno != EINTR) {
      throw Error(ErrorCode::input,
                  fmt::format("cannot read after byte {}: {}", offset, std::strerror(errno)), path);
    }
  }
}

}  // namespace toktier::io
