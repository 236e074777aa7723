#include "io/line_reader.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <cstring>

namespace toktier::io {

LineReader::LineReader(ByteSource source, std::uint64_t max_line)
    : source_(std::move(source)), max_line_(max_line) {
  buffer_.resize(std::size_t{1} << 16);
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  if (failed_) return false;
  failed_ = true;  // unless it ends well
  for (;;) {
    const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    const bool last = found == nullptr && at_end_;
    if (last && (begin_ == end_ || source_.stopped())) return false;
    if (found != nullptr || last) {
      const std::size_t stop =
          last ? end_ : static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      if (stop - begin_ > max_line_) break;
      line = std::string_view(buffer_).substr(begin_, stop - begin_);
      begin_ = last ? end_ : stop + 1;
      offset_ = next_offset_;
      next_offset_ += line.size() + 1;
      ++number_;
      failed_ = false;
      return true;
    }
    if (end_ - begin_ > max_line_) break;
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    searched = end_;
    if (buffer_.size() - kReadPadding <= end_) buffer_.resize(buffer_.size() * 2);
    const std::size_t got =
        source_.read_available(buffer_.data() + end_, buffer_.size() - kReadPadding - end_);
    end_ += got;
    at_end_ = got == 0;
  }
  throw Error(ErrorCode::input, fmt::format("line is longer than {} bytes", max_line_),
              fmt::format("{}:{}", source_.path(), number_ + 1));
}

}  // namespace toktier::io
