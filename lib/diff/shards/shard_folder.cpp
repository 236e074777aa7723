#include "diff/shards/shard_folder.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/file.h>
#include <unistd.h>

namespace toktier::diff::shards {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::unavailable, what, path);
}

std::string content(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t n = ::pread(descriptor, text.data(), text.size(), 0);
  std::string out(text.data(), n < 0 ? 0 : static_cast<std::size_t>(n));
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::string shard_name(std::uint64_t shard, std::uint64_t shards) {
  return fmt::format("{:05}-of-{:05}", shard, shards);
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

ShardLock::ShardLock(const std::string& folder) : folder_(folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string path = folder + "/lock";
  file_ = io::FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (file_.get() < 0) fail(path, fmt::format("cannot open: {}", std::strerror(errno)));
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      fail(path, fmt::format("this shard is being run by {}", content(file_.get())));
    fail(path,
         fmt::format("cannot lock (the file system must have locks): {}", std::strerror(errno)));
  }
  const std::string text = fmt::format("host {} pid {}\n", host_name(), ::getpid());
  if (::ftruncate(file_.get(), 0) != 0 ||
      ::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    fail(path, fmt::format("cannot write: {}", std::strerror(errno)));
}

std::vector<FoundShard> find_shards(const std::string& run) {
  if (!fs::is_directory(run)) throw Error(ErrorCode::input, "no such folder", run);
  std::vector<FoundShard> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run + "/shards", error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t middle = name.find("-of-");
    if (middle == std::string::npos || !entry.is_directory()) continue;
    const auto shard = digits(std::string_view(name).substr(0, middle));
    const auto shards = digits(std::string_view(name).substr(middle + 4));
    if (!shard || !shards || *shard >= *shards || name != shard_name(*shard, *shards)) continue;
    found.push_back({entry.path().string(), *shard, *shards});
  }
  std::sort(found.begin(), found.end(),
            [](const FoundShard& a, const FoundShard& b) { return a.folder < b.folder; });
  return found;
}

}  // namespace toktier::diff::shards
