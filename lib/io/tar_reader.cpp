#include "io/tar_reader.hpp"

#include "toktier/error.hpp"
#include "toktier/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace toktier::io {
namespace {

constexpr std::size_t kBlock = 512;
using Header = std::array<char, kBlock>;

std::string_view field(std::string_view header, std::size_t offset, std::size_t size) {
  const std::string_view whole = header.substr(offset, size);
  return whole.substr(0, std::min(whole.find('\0'), size));
}

// Octal digits with blanks around, or (GNU) a big-endian binary number marked by the top bit.
std::optional<std::uint64_t> number(std::string_view raw) {
  std::uint64_t value = 0;
  if (!raw.empty() && (static_cast<unsigned char>(raw[0]) & 0x80U) != 0) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const unsigned byte = static_cast<unsigned char>(raw[i]) & (i == 0 ? 0x7FU : 0xFFU);
      if (value > (~std::uint64_t{0} >> 8)) return std::nullopt;
      value = (value << 8) | byte;
    }
    return value;
  }
  const std::size_t begin = std::min(raw.find_first_not_of(' '), raw.size());
  std::string_view digits = raw.substr(begin);
  digits = digits.substr(0, digits.find_first_of(std::string_view(" \0", 2)));
  if (digits.empty()) return 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool checksum_holds(std::string_view header) {
  const std::optional<std::uint64_t> stated = number(header.substr(148, 8));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    sum += i >= 148 && i < 156 ? std::uint64_t{' '} : static_cast<unsigned char>(header[i]);
  }
  return stated == sum;
}

class TarReader final : public DocumentReader {
 public:
  TarReader(ByteSource source, std::string name, RecordOptions options)
      : source_(std::move(source)), name_(std::move(name)), options_(std::move(options)) {}

  bool next(Document& out) override {
    for (;;) {
      if (inner_ != nullptr) {
        if (next_inside(out)) return true;
        inner_.reset();
      }
      std::string member;
      if (ended_ || !read_member(member)) return false;
      const std::string shown = fmt::format("{}!{}", name_, member);
      RecordOptions inside = options_;
      inside.first_line = 1;
      inside.first_byte = 0;
      inner_ = read_documents(ByteSource::part_of(source_, member_size_, shown), shown, inside);
    }
  }

 private:
  bool next_inside(Document& out) {
    try {
      if (inner_->next(out)) {
        out.begin = options_.first_byte + member_begin_;
        out.text_begin = Document::kNowhere;
        return true;
      }
    } catch (const Error&) {
      told_ = told_ || source_.peek(1).empty();
      throw;
    }
    inner_.reset();
    finish_member();
    return false;
  }

  // What the member's reader left. Of an archive that ends here that is told once.
  void finish_member() {
    ended_ = true;
    try {
      skip(member_end_ - source_.offset());
      ended_ = false;
    } catch (const Error&) {
      if (!source_.stopped() && !told_) throw;
    }
  }

  // A damaged archive ends where the damage is; one that was stopped just ends.
  bool read_member(std::string& member) {
    ended_ = true;
    try {
      ended_ = !next_member(member);
    } catch (const Error&) {
      if (!source_.stopped()) throw;
    }
    return !ended_;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::input,
                fmt::format("{} at byte {} of the archive", message, source_.offset()), name_);
  }

  void read_content(std::uint64_t size, std::string& to) {
    if (size > kMaxDocumentBytes) fail(fmt::format("member of {} bytes is too long", size));
    to.clear();
    // In steps, so that a header that lies about its size costs no more than the bytes there are.
    while (to.size() < size) {
      const std::size_t begin = to.size();
      const std::size_t step = std::min<std::size_t>(size - begin, std::size_t{1} << 20);
      to.resize(begin + step);
      if (source_.read(to.data() + begin, step) < step) fail("archive ends inside a member");
    }
    skip((kBlock - size % kBlock) % kBlock);
  }

  void skip(std::uint64_t size) {
    std::array<char, 16384> sink;
    while (size > 0) {
      const std::size_t step = std::min<std::uint64_t>(size, sink.size());
      if (source_.read(sink.data(), step) < step) fail("archive ends inside a member");
      size -= step;
    }
  }

  // "LENGTH key=value\n", any number of them.
  void read_pax(std::string_view records, std::optional<std::string>& path,
                std::optional<std::uint64_t>& size) const {
    while (!records.empty()) {
      std::size_t length = 0;
      const auto [end, error] =
          std::from_chars(records.data(), records.data() + records.size(), length);
      const auto digits = static_cast<std::size_t>(end - records.data());
      if (error != std::errc() || length <= digits + 1 || length > records.size() ||
          records[digits] != ' ' || records[length - 1] != '\n') {
        fail("damaged pax header");
      }
      const std::string_view record = records.substr(digits + 1, length - digits - 2);
      const std::size_t equals = record.find('=');
      if (equals == std::string_view::npos) fail("damaged pax header");
      const std::string_view value = record.substr(equals + 1);
      if (record.substr(0, equals) == "path") path = std::string(value);
      if (record.substr(0, equals) == "size") {
        std::uint64_t parsed = 0;
        const auto [stop, bad] = std::from_chars(value.data(), value.data() + value.size(), parsed);
        if (bad != std::errc() || stop != value.data() + value.size()) fail("damaged pax header");
        size = parsed;
      }
      records.remove_prefix(length);
    }
  }

  bool next_member(std::string& member) {
    std::optional<std::string> long_name;
    std::optional<std::uint64_t> long_size;
    member_begin_ = source_.offset();
    for (;;) {
      Header block{};
      const std::size_t got = source_.read(block.data(), kBlock);
      const std::string_view header(block.data(), kBlock);
      if (got == 0 || header.find_first_not_of('\0') == std::string_view::npos) return false;
      if (got < kBlock) fail("archive ends inside a header");
      if (!checksum_holds(header)) fail("damaged member header");
      const std::optional<std::uint64_t> size = number(header.substr(124, 12));
      if (!size) fail("damaged size in a member header");
      const char type = header[156];
      if (type == 'L' || type == 'x' || type == 'g') {
        constexpr std::uint64_t kMaxHeader = 1 << 20;
        if (*size > kMaxHeader) fail("member header too long");
        read_content(*size, content_);
        std::optional<std::string> global_name;
        std::optional<std::uint64_t> global_size;
        if (type == 'L') long_name = content_.substr(0, content_.find('\0'));
        if (type == 'x') read_pax(content_, long_name, long_size);
        if (type == 'g') read_pax(content_, global_name, global_size);
        continue;
      }
      if (type == 'S') fail("sparse members are not supported:");
      const std::uint64_t length = long_size.value_or(*size);
      if (type == '0' || type == '\0' || type == '7') {
        const std::string_view prefix = header.substr(257, 6) == std::string_view("ustar\0", 6)
                                            ? field(header, 345, 155)
                                            : std::string_view();
        member = long_name.value_or(
            fmt::format("{}{}{}", prefix, prefix.empty() ? "" : "/", field(header, 0, 100)));
        // Old archives mark a directory by a slash alone.
        const bool directory = type != '7' && member.ends_with('/');
        member_size_ = length;
        member_end_ = source_.offset() + length + (kBlock - length % kBlock) % kBlock;
        if (!directory) return true;
        skip(member_end_ - source_.offset());
      } else {
        skip(length + (kBlock - length % kBlock) % kBlock);
      }
      long_name.reset();
      long_size.reset();
      member_begin_ = source_.offset();
    }
  }

  ByteSource source_;
  std::string name_;
  RecordOptions options_;
  std::string content_;  // of the header before a member
  std::uint64_t member_begin_ = 0, member_size_ = 0, member_end_ = 0;  // in the archive
  bool ended_ = false;
  bool told_ = false;  // that the archive ends inside a member
  std::unique_ptr<DocumentReader> inner_;
};

}  // namespace

bool is_tar(std::string_view start) {
  return start.size() >= kBlock && start.substr(257, 5) == "ustar" && checksum_holds(start);
}

std::unique_ptr<DocumentReader> read_tar(ByteSource source, const std::string& name,
                                         const RecordOptions& options) {
  return std::make_unique<TarReader>(std::move(source), name, options);
}

}  // namespace toktier::io
