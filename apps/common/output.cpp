#include "apps/common/output.hpp"

#include "toktier/error.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace toktier::cli {
namespace {

constexpr std::size_t kBuffer = 1U << 16;

/// Bytes written before an error; `errno` tells which.
std::size_t write_all(int descriptor, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace

void StandardOutput::write(std::string_view text) {
  if (closed_) return;
  buffer_ += text;
  if (buffer_.size() >= kBuffer) flush();
}

void StandardOutput::flush() {
  if (closed_ || buffer_.empty()) return;
  const std::size_t done = write_all(STDOUT_FILENO, buffer_);
  const int reason = errno;
  const bool complete = done == buffer_.size();
  buffer_.clear();
  if (complete) return;
  closed_ = true;
  if (reason != EPIPE)
    throw Error(ErrorCode::unavailable, std::strerror(reason), "standard output");
}

StandardOutput::~StandardOutput() {
  if (!closed_) write_all(STDOUT_FILENO, buffer_);
}

}  // namespace toktier::cli
