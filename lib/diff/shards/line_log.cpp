#include "diff/shards/line_log.hpp"

#include "diff/digest.hpp"
#include "io/read_all.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace toktier::diff::shards {
namespace {

constexpr std::string_view kSum = ",\"sum\":\"";
constexpr std::size_t kTail = kSum.size() + 16 + 2;  // the digest, a quote, a brace

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error(ErrorCode::unavailable, fmt::format("{}: {}", what, std::strerror(errno)), path);
}

/// The object without its sum; empty when the sum does not hold.
std::string checked(std::string_view line) {
  if (line.size() <= kTail) return {};
  const std::string_view body = line.substr(0, line.size() - kTail);
  if (line.substr(body.size()) != summed_line(std::string(body) + '}').substr(body.size(), kTail))
    return {};
  return std::string(body) + '}';
}

}  // namespace

std::string summed_line(std::string_view object) {
  const std::string_view body = object.substr(0, object.size() - 1);
  return fmt::format("{}{}{:016x}\"}}\n", body, kSum, digest_bytes(body));
}

LogLines read_log(const std::string& path) {
  LogLines log;
  if (!std::filesystem::exists(path)) return log;
  const std::string text = io::read_all(path);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    log.torn = end == std::string::npos;
    if (log.torn) break;
    std::string object = checked(std::string_view(text).substr(at, end - at));
    if (object.empty()) {
      ++log.damaged;
    } else {
      log.lines.push_back(std::move(object));
    }
    at = end + 1;
    log.whole_bytes = at;
  }
  return log;
}

LineLog::LineLog(const std::string& path) : path_(path) {
  const LogLines before = read_log(path);
  file_ = io::FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file_.get() < 0) fail(path, "cannot open");
  if (before.torn && ::ftruncate(file_.get(), static_cast<off_t>(before.whole_bytes)) != 0)
    fail(path, "cannot cut off a torn line");
}

void LineLog::append(std::string_view object) {
  const std::string line = summed_line(object);
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = ::write(file_.get(), line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, "cannot write");
    done += static_cast<std::size_t>(n);
  }
  if (::fdatasync(file_.get()) != 0) fail(path_, "cannot write");
}

}  // namespace toktier::diff::shards
