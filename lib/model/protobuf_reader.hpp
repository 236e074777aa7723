#pragma once
// A reader of the protobuf wire format, just enough for SentencePiece models: every access is
// checked against the end, unknown fields are skipped, nothing recurses. Internal to this room.

#include <cstdint>
#include <optional>
#include <string_view>

namespace toktier::model {

class ProtobufReader {
 public:
  enum class Wire : std::uint8_t {
    varint = 0,
    fixed64 = 1,
    bytes = 2,
    group = 3,
    end_group = 4,
    fixed32 = 5
  };

  /// `base` = offset of `bytes` in the file, for messages.
  explicit ProtobufReader(std::string_view bytes, std::size_t base = 0)
      : bytes_(bytes), base_(base) {}

  /// Moves to the next field; false at the end or on damage (see damaged()).
  bool next();
  std::uint32_t field() const { return field_; }
  Wire wire() const { return wire_; }

  // The value of the current field; meaningful for the matching wire type only.
  std::uint64_t varint() const { return number_; }
  std::uint32_t fixed32() const { return static_cast<std::uint32_t>(number_); }
  std::string_view bytes() const { return value_; }
  /// Offset in the file of the current value.
  std::size_t value_offset() const { return value_offset_; }

  /// Set when next() met bytes that are not protobuf: the offset in the file.
  std::optional<std::size_t> damaged() const { return damaged_; }

 private:
  bool read_varint(std::uint64_t& out);
  bool read_fixed(std::size_t size);
  bool skip_group(std::uint32_t number);
  bool read_tag();
  bool fail() {
    damaged_ = base_ + at_;
    return false;
  }

  std::string_view bytes_;
  std::size_t base_;
  std::size_t at_ = 0;
  std::uint32_t field_ = 0;
  Wire wire_ = Wire::varint;
  std::uint64_t number_ = 0;
  std::string_view value_;
  std::size_t value_offset_ = 0;
  std::optional<std::size_t> damaged_;
};

}  // namespace toktier::model
