#include "io/read_all.hpp"

#include "io/file_descriptor.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace toktier::io {
namespace {

struct FreeDctx {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Dctx = std::unique_ptr<ZSTD_DCtx, FreeDctx>;

[[noreturn]] void fail_frame(const std::string& path, std::size_t offset, const std::string& why) {
  throw Error(ErrorCode::input,
              fmt::format("damaged or cut off zstd data in the frame at byte {}: {}", offset, why),
              path);
}

[[noreturn]] void fail_size(const std::string& path, std::uint64_t max_bytes) {
  throw Error(ErrorCode::input,
              fmt::format("content is larger than the limit of {} bytes", max_bytes), path);
}

// One frame in steps; used when the frame does not state its size or states one that its length
// makes doubtful.
void unpack_in_steps(ZSTD_DCtx* context, std::string_view frame, std::size_t offset,
                     const std::string& path, std::uint64_t max_bytes, std::string& out) {
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  std::size_t left = 1;
  while (left != 0) {
    const std::size_t begin = out.size();
    const std::size_t step =
        std::clamp<std::size_t>(begin, std::size_t{1} << 16, std::size_t{1} << 26);
    out.resize(begin + step);
    ZSTD_outBuffer to{out.data() + begin, step, 0};
    left = ZSTD_decompressStream(context, &to, &in);
    out.resize(begin + to.pos);
    if (ZSTD_isError(left) != 0) fail_frame(path, offset + in.pos, ZSTD_getErrorName(left));
    if (out.size() > max_bytes) fail_size(path, max_bytes);
    if (left != 0 && to.pos < step && in.pos == in.size) fail_frame(path, offset, "end of file");
  }
}

}  // namespace

bool is_zstd(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const bool frame = at(0) == 0x28 && at(1) == 0xB5 && at(2) == 0x2F && at(3) == 0xFD;
  const bool skippable = (at(0) & 0xF0U) == 0x50 && at(1) == 0x2A && at(2) == 0x4D && at(3) == 0x18;
  return frame || skippable;
}

std::string unpack(std::string_view bytes, const std::string& shown_path, std::uint64_t max_bytes) {
  std::string out;
  if (!is_zstd(bytes)) {
    if (bytes.size() > max_bytes) fail_size(shown_path, max_bytes);
    out.reserve(bytes.size() + kReadPadding);
    out.append(bytes);
    return out;
  }
  const Dctx context(ZSTD_createDCtx());
  if (context == nullptr) throw Error(ErrorCode::internal, "no memory for the zstd decoder");
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    const std::string_view rest = bytes.substr(offset);
    if (!is_zstd(rest)) {
      throw Error(ErrorCode::input,
                  fmt::format("bytes after the last zstd frame at byte {} are not zstd", offset),
                  shown_path);
    }
    const std::size_t length = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    if (ZSTD_isError(length) != 0) fail_frame(shown_path, offset, ZSTD_getErrorName(length));
    const std::string_view frame = rest.substr(0, length);
    const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
    // No real data packs better than this; a bigger claim is unpacked in steps instead of being
    // believed.
    const bool known = size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR;
    if (known && size <= max_bytes - std::min<std::uint64_t>(max_bytes, out.size()) &&
        size <= length * 1024ULL + (1ULL << 20)) {
      const std::size_t begin = out.size();
      out.reserve(begin + size + kReadPadding);
      out.resize(begin + size);
      const std::size_t made =
          ZSTD_decompressDCtx(context.get(), out.data() + begin, size, frame.data(), frame.size());
      if (ZSTD_isError(made) != 0) fail_frame(shown_path, offset, ZSTD_getErrorName(made));
      out.resize(begin + made);
    } else if (known && size > max_bytes) {
      fail_size(shown_path, max_bytes);
    } else {
      unpack_in_steps(context.get(), frame, offset, shown_path, max_bytes, out);
    }
    offset += length;
  }
  out.reserve(out.size() + kReadPadding);
  return out;
}

std::string read_all(const std::string& path, std::uint64_t max_bytes) {
  const FileDescriptor file = open_for_reading(path);
  struct stat info {};
  std::size_t expected = 0;
  if (fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    expected = static_cast<std::size_t>(info.st_size);
  }
  if (expected > max_bytes) fail_size(path, max_bytes);
  std::string raw;
  raw.reserve(expected + kReadPadding);
  std::size_t size = 0;
  for (;;) {
    // One byte more than expected, so that the end is seen without another buffer.
    const std::size_t room =
        size < expected + 1 ? expected + 1 - size : std::max<std::size_t>(size, 65536);
    raw.resize(size + room);
    const std::size_t got = read_some(file.get(), raw.data() + size, room, path, size);
    size += got;
    if (got == 0) break;
    if (size > max_bytes) fail_size(path, max_bytes);
  }
  raw.resize(size);
  if (is_zstd(raw)) return unpack(raw, path, max_bytes);
  raw.reserve(size + kReadPadding);
  return raw;
}

}  // namespace toktier::io
