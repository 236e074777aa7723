#pragma once
// What generators are made of.

#include "diff/document.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toktier::diff::sources {

/// A generator is a function from an index below `count` to a document; no state, so any part can
/// be made again.
class Indexed final : public DocumentSource {
 public:
  using Make =
      std::function<bool(std::uint64_t index, Document& document)>;  // false: no such document
  Indexed(std::string name, std::uint64_t count, Make make)
      : name_(std::move(name)), count_(count), make_(std::move(make)) {}

  bool next(Document& document) override {
    while (at_ < count_) {
      document = Document{};
      document.origin = name_;
      if (make_(at_++, document)) return true;
      ++left_out_;
    }
    return false;
  }
  std::uint64_t total() const override { return count_; }
  std::uint64_t position() const override { return at_; }
  bool select(std::uint64_t begin, std::uint64_t end) override {
    count_ = std::min(end, count_);
    at_ = std::min(begin, count_);
    return true;
  }
  std::vector<std::pair<std::string, std::uint64_t>> left_out() const override {
    if (left_out_ == 0) return {};
    return {{name_ + ": no text for this entry", left_out_}};
  }

 private:
  std::string name_;
  std::uint64_t count_;
  Make make_;
  std::uint64_t at_ = 0;
  std::uint64_t left_out_ = 0;
};

/// Scalar values, 0 .. kScalars - 1, in order: code points without surrogates.
inline constexpr std::uint64_t kScalars = 0x110000 - 0x800;
inline char32_t scalar(std::uint64_t index) {
  return static_cast<char32_t>(index < 0xD800 ? index : index + 0x800);
}

}  // namespace toktier::diff::sources
