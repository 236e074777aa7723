#include "model/protobuf_reader.hpp"

namespace toktier::model {

bool ProtobufReader::read_varint(std::uint64_t& out) {
  out = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at_ >= bytes_.size()) return fail();
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    if (shift < 64) out |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return true;
  }
  return fail();
}

bool ProtobufReader::read_fixed(std::size_t size) {
  if (bytes_.size() - at_ < size) return fail();
  number_ = 0;
  for (std::size_t i = 0; i < size; ++i) {
    number_ |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
  }
  at_ += size;
  return true;
}

bool ProtobufReader::read_tag() {
  std::uint64_t tag = 0;
  if (!read_varint(tag)) return false;
  if (tag > 0xFFFFFFFFULL || (tag >> 3) == 0 || (tag & 7U) > 5) return fail();
  field_ = static_cast<std::uint32_t>(tag >> 3);
  wire_ = static_cast<Wire>(tag & 7U);
  return true;
}

// Groups are long out of use, but a reader of the reference skips them; depth is a counter, not a
// call.
bool ProtobufReader::skip_group(std::uint32_t number) {
  constexpr std::size_t kMaxDepth = 100;
  std::uint32_t open[kMaxDepth] = {number};
  std::size_t depth = 1;
  while (depth > 0) {
    if (!read_tag()) return false;
    std::uint64_t length = 0;
    switch (wire_) {
      case Wire::varint:
        if (!read_varint(length)) return false;
        break;
      case Wire::fixed64:
        if (!read_fixed(8)) return false;
        break;
      case Wire::fixed32:
        if (!read_fixed(4)) return false;
        break;
      case Wire::bytes:
        if (!read_varint(length)) return false;
        if (length > bytes_.size() - at_) return fail();
        at_ += length;
        break;
      case Wire::group:
        if (depth == kMaxDepth) return fail();
        open[depth++] = field_;
        break;
      case Wire::end_group:
        if (open[--depth] != field_) return fail();
        break;
    }
  }
  return true;
}

bool ProtobufReader::next() {
  if (damaged_ || at_ >= bytes_.size() || !read_tag()) return false;
  value_ = {};
  value_offset_ = base_ + at_;
  switch (wire_) {
    case Wire::varint:
      return read_varint(number_);
    case Wire::fixed64:
      return read_fixed(8);
    case Wire::fixed32:
      return read_fixed(4);
    case Wire::bytes: {
      std::uint64_t length = 0;
      if (!read_varint(length)) return false;
      if (length > bytes_.size() - at_) return fail();
      value_offset_ = base_ + at_;
      value_ = bytes_.substr(at_, length);
      at_ += length;
      return true;
    }
    case Wire::group: {
      const std::uint32_t number = field_;
      if (!skip_group(number)) return false;
      field_ = number;
      wire_ = Wire::group;
      return true;
    }
    case Wire::end_group:
      return fail();
  }
  return fail();
}

}  // namespace toktier::model
