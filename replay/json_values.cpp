#include "replay/json_values.hpp"

#include "io/read_all.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

namespace toktier::replay {
namespace {
constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr int kEnd = -1;
bool blank(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
}  // namespace

JsonValues::JsonValues(io::ByteSource source) : source_(std::move(source)), block_(kBlock, '\0') {}

int JsonValues::look() {
  if (begin_ == end_) {
    begin_ = 0;
    end_ = source_.read(block_.data(), block_.size());
    if (end_ == 0) return kEnd;
  }
  return static_cast<unsigned char>(block_[begin_]);
}

int JsonValues::get() {
  const int c = look();
  if (c == kEnd) return kEnd;
  ++begin_;
  here_ += c == '\n';
  return c;
}

bool JsonValues::next(std::string_view& record) {
  if (done_) return false;
  if (!started_) {
    started_ = true;
    if (source_.peek(3).starts_with("\xEF\xBB\xBF")) {
      for (int i = 0; i < 3; ++i) get();
    }
    while (blank(look())) get();
    if (look() == '[') {
      array_ = true;
      get();
    }
  }
  while (blank(look()) || look() == ',') get();
  if (look() == kEnd || (array_ && look() == ']')) {
    cut_off_ = array_ && look() == kEnd;
    if (look() == kEnd) {
      done_ = true;
      return false;
    }
    get();  // the array's end: whatever follows are further values
    array_ = false;
    return next(record);
  }
  record_.clear();
  line_ = here_;
  std::uint64_t depth = 0;
  bool in_string = false, escaped = false;
  for (;;) {
    const int c = look();
    if (c == kEnd) {
      done_ = true;
      cut_off_ = in_string || depth > 0 || array_;
      break;
    }
    if (!in_string && depth == 0 && (c == ',' || c == '\n' || (array_ && c == ']'))) break;
    get();
    record_ += static_cast<char>(c);
    if (record_.size() > kMaxRecordBytes) {
      done_ = true;
      throw Error(ErrorCode::input,
                  fmt::format("a record of more than {} bytes begins here", kMaxRecordBytes),
                  fmt::format("{}:{}", source_.path(), line_));
    }
    if (in_string) {
      if (escaped) {
        escaped = false;
      } else if (c == '\\') {
        escaped = true;
      } else if (c == '"') {
        in_string = false;
      } else if (c == '\n') {
        break;  // no JSON string holds a line end: the record is damaged, the next line a new one
      }
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0 && --depth == 0) break;
  }
  record_.reserve(record_.size() + io::kReadPadding);
  record = record_;
  return true;
}

}  // namespace toktier::replay
