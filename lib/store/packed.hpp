#pragma once
// Numbers in bytes, little-endian, and their reading with every bound checked.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::store {

class PackedWriter {
 public:
  void number(std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out_.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value), 8); }
  void bytes(std::string_view value) { out_.append(value); }
  void text(std::string_view value) {
    number(value.size(), 8);
    out_.append(value);
  }
  std::string take() { return std::move(out_); }
  const std::string& out() const { return out_; }

 private:
  std::string out_;
};

class PackedReader {
 public:
  explicit PackedReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number(unsigned bytes) {
    if (rest_.size() < bytes) {
      sound_ = false;
      rest_ = {};
      return 0;
    }
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(bytes);
    return value;
  }
  double real() { return std::bit_cast<double>(number(8)); }
  std::string_view bytes(std::uint64_t size) {
    if (rest_.size() < size) {
      sound_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  /// There are `count` things of `each` bytes still to come, at least.
  bool holds(std::uint64_t count, unsigned each) {
    sound_ &= count <= rest_.size() / each;
    return sound_;
  }
  /// All was there, and nothing is left.
  bool done() const { return sound_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool sound_ = true;
};

}  // namespace toktier::store
