#include "io/byte_source.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace toktier::io {

struct ByteSource::Impl {
  std::string path;
  FileDescriptor file;      // unused for memory
  std::string_view memory;  // what is left of it
  bool from_file = false;
  ByteSource* whole = nullptr;  // of a part
  std::uint64_t part_left = 0;
  StopDescriptor stop = -1;  // -1 also for files, which never wait
  bool stopped = false;
  std::uint64_t max_bytes = 0;
  std::uint64_t limit = ~std::uint64_t{0};          // what comes after is not given out
  std::shared_ptr<std::vector<FrameStart>> frames;  // null: nobody wants to know

  std::vector<char> packed_buffer;  // bytes read from the file, not yet consumed
  std::size_t packed_begin = 0;
  std::size_t packed_end = 0;
  std::uint64_t packed_offset = 0;  // offset in the file of packed_begin
  bool at_end = false;              // the file gave 0 bytes

  bool is_packed = false;
  bool in_frame = false;
  std::uint64_t frame_offset = 0;
  struct FreeDctx {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, FreeDctx> context;

  std::string ahead;  // unpacked bytes already produced for peek()
  std::size_t ahead_begin = 0;
  std::uint64_t given = 0;
  std::uint64_t made = 0;

  std::size_t available() const { return packed_end - packed_begin; }

  // Makes at least `want` packed bytes available unless the file ends first.
  void fill(std::size_t want) {
    if (available() >= want || at_end) return;
    if (packed_begin > 0) {
      std::memmove(packed_buffer.data(), packed_buffer.data() + packed_begin, available());
      packed_end -= packed_begin;
      packed_begin = 0;
    }
    while (packed_end < want && !at_end) {
      std::size_t got = 0;
      const std::size_t room = packed_buffer.size() - packed_end;
      if (from_file && !wait_readable(file.get(), stop)) {
        stopped = true;
      } else if (from_file) {
        got = read_some(file.get(), packed_buffer.data() + packed_end, room, path,
                        packed_offset + packed_end);
      } else if (whole != nullptr) {
        got = take_from_whole(packed_buffer.data() + packed_end, room);
      } else {
        got = std::min(room, memory.size());
        std::memcpy(packed_buffer.data() + packed_end, memory.data(), got);
        memory.remove_prefix(got);
      }
      packed_end += got;
      at_end = got == 0;
    }
  }

  std::size_t take_from_whole(char* to, std::size_t room) {
    const std::size_t size = std::min<std::uint64_t>(room, part_left);
    const std::size_t got = whole->read(to, size);
    part_left -= got;
    if (got < size) {
      stopped = whole->stopped();
      if (!stopped) throw Error(ErrorCode::input, "archive ends inside a member", path);
    }
    return got;
  }

  void consume(std::size_t n) {
    packed_begin += n;
    packed_offset += n;
  }

  std::size_t produce_plain(char* to, std::size_t size) {
    fill(1);
    const std::size_t n = std::min(size, available());
    std::memcpy(to, packed_buffer.data() + packed_begin, n);
    consume(n);
    return n;
  }

  [[noreturn]] void fail(std::uint64_t at, const char* why) const {
    throw Error(ErrorCode::input,
                fmt::format("damaged or cut off zstd data at byte {} (frame at byte {}): {}", at,
                            frame_offset, why),
                path);
  }

  // One step of the decoder; 0 only at the end of the last frame.
  std::size_t produce_packed(char* to, std::size_t size) {
    for (;;) {
      fill(in_frame ? 1 : 4);
      if (stopped && available() < (in_frame ? 1 : 4)) return 0;
      if (!in_frame) {
        if (available() == 0) return 0;
        frame_offset = packed_offset;
        if (!is_zstd(std::string_view(packed_buffer.data() + packed_begin, available()))) {
          fail(packed_offset, "bytes after the last frame are not zstd");
        }
        in_frame = true;
        if (frames != nullptr) frames->push_back({frame_offset, made});
      }
      // At the end of the file the decoder may still hold bytes: it is asked once more with empty
      // input.
      ZSTD_inBuffer in{packed_buffer.data() + packed_begin, available(), 0};
      ZSTD_outBuffer out{to, size, 0};
      const bool no_input = in.size == 0;
      const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(left) != 0) fail(packed_offset + in.pos, ZSTD_getErrorName(left));
      consume(in.pos);
      if (left == 0) in_frame = false;
      if (out.pos > 0) return out.pos;
      if (in_frame && no_input) fail(packed_offset, "the file ends inside a frame");
    }
  }

  std::size_t produce(char* to, std::size_t size) {
    size = std::min<std::uint64_t>(size, limit - made);
    if (size == 0) return 0;
    const std::size_t n = is_packed ? produce_packed(to, size) : produce_plain(to, size);
    made += n;
    if (made > max_bytes) {
      throw Error(ErrorCode::input,
                  fmt::format("content is larger than the limit of {} bytes", max_bytes), path);
    }
    return n;
  }

  // `enough` is asked about each stretch of bytes.
  template <typename Enough>
  std::string_view look_ahead(std::size_t size, const Enough& enough) {
    size = std::min(size, std::size_t{1} << 20);
    ahead.erase(0, ahead_begin);
    ahead_begin = 0;
    bool done = enough(ahead);
    while (!done && ahead.size() < size) {
      const std::size_t begin = ahead.size();
      ahead.resize(size);
      const std::size_t n = produce(ahead.data() + begin, size - begin);
      ahead.resize(begin + n);
      done = n == 0 || enough(std::string_view(ahead).substr(begin));
    }
    return ahead;
  }

  void start() {
    packed_buffer.resize(std::size_t{1} << 17);
    fill(4);
    start_as(is_zstd(std::string_view(packed_buffer.data(), available())));
  }

  void start_as(bool zstd) {
    packed_buffer.resize(std::size_t{1} << 17);
    is_packed = zstd;
    if (is_packed) {
      context.reset(ZSTD_createDCtx());
      if (context == nullptr) throw Error(ErrorCode::internal, "no memory for the zstd decoder");
    }
  }
};

ByteSource::ByteSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

ByteSource ByteSource::open(const std::string& path, std::uint64_t max_bytes, StopDescriptor stop) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->file = open_for_reading(path, stop);
  struct stat info {};
  if (fstat(impl->file.get(), &info) != 0 || !S_ISREG(info.st_mode)) impl->stop = stop;
  impl->from_file = true;
  impl->max_bytes = max_bytes;
  impl->start();
  return ByteSource(std::move(impl));
}

ByteSource ByteSource::open_slice(const std::string& path, const Slice& slice) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->file = open_for_reading(path);
  impl->from_file = true;
  impl->max_bytes = ~std::uint64_t{0};
  if (::lseek(impl->file.get(), static_cast<off_t>(slice.frame), SEEK_SET) < 0)
    throw Error(ErrorCode::input, "cannot begin inside: not a regular file", path);
  impl->packed_offset = slice.frame;
  impl->start_as(slice.packed);
  std::vector<char> passed_over(std::size_t{1} << 16);
  for (std::uint64_t left = slice.skip; left > 0;) {
    const std::size_t n =
        impl->produce(passed_over.data(), std::min<std::uint64_t>(left, passed_over.size()));
    if (n == 0) throw Error(ErrorCode::input, "the file ends before the slice begins", path);
    left -= n;
  }
  impl->made = 0;
  impl->limit = slice.bytes;
  return ByteSource(std::move(impl));
}

ByteSource ByteSource::part_of(ByteSource& whole, std::uint64_t size,
                               const std::string& shown_path) {
  auto impl = std::make_unique<Impl>();
  impl->path = shown_path;
  impl->whole = &whole;
  impl->part_left = size;
  impl->max_bytes = ~std::uint64_t{0};
  impl->start();
  return ByteSource(std::move(impl));
}

ByteSource ByteSource::from_memory(std::string_view bytes, const std::string& shown_path,
                                   std::uint64_t max_bytes) {
  auto impl = std::make_unique<Impl>();
  impl->path = shown_path;
  impl->memory = bytes;
  impl->max_bytes = max_bytes;
  impl->start();
  return ByteSource(std::move(impl));
}

std::size_t ByteSource::read(char* to, std::size_t size) {
  std::size_t done = std::min(size, impl_->ahead.size() - impl_->ahead_begin);
  std::memcpy(to, impl_->ahead.data() + impl_->ahead_begin, done);
  impl_->ahead_begin += done;
  while (done < size) {
    const std::size_t n = impl_->produce(to + done, size - done);
    if (n == 0) break;
    done += n;
  }
  impl_->given += done;
  return done;
}

std::size_t ByteSource::read_available(char* to, std::size_t size) {
  std::size_t done = std::min(size, impl_->ahead.size() - impl_->ahead_begin);
  if (done > 0) {
    std::memcpy(to, impl_->ahead.data() + impl_->ahead_begin, done);
    impl_->ahead_begin += done;
  } else {
    done = impl_->produce(to, size);
  }
  impl_->given += done;
  return done;
}

std::string_view ByteSource::peek(std::size_t size) {
  return impl_->look_ahead(size, [](std::string_view) { return false; });
}

std::string_view ByteSource::peek_line(std::size_t size) {
  return impl_->look_ahead(
      size, [](std::string_view more) { return more.find('\n') != std::string_view::npos; });
}

const std::string& ByteSource::path() const { return impl_->path; }
bool ByteSource::packed() const { return impl_->is_packed; }
std::uint64_t ByteSource::offset() const { return impl_->given; }
std::shared_ptr<std::vector<FrameStart>> ByteSource::record_frames() {
  impl_->frames = std::make_shared<std::vector<FrameStart>>();
  return impl_->frames;
}
bool ByteSource::stopped() const { return impl_->stopped; }

}  // namespace toktier::io
