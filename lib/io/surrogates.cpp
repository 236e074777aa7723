#include "io/surrogates.hpp"

#include <optional>

namespace toktier::io {
namespace {

// The number of the \uXXXX escape at `at`, if there is one.
std::optional<unsigned> escape_at(const std::string& json, std::size_t at) {
  if (at + 6 > json.size() || json[at] != '\\' || json[at + 1] != 'u') return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const char c = json[i];
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      value = value * 16 + static_cast<unsigned>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
  }
  return value;
}

}  // namespace

std::size_t replace_lone_surrogates(std::string& json) {
  std::size_t count = 0;
  for (std::size_t at = json.find('\\'); at != std::string::npos; at = json.find('\\', at)) {
    const std::optional<unsigned> value = escape_at(json, at);
    if (!value) {
      at += 2;
      if (at > json.size()) break;
      continue;
    }
    const bool high = *value >= 0xD800 && *value < 0xDC00;
    const bool low = *value >= 0xDC00 && *value < 0xE000;
    const std::optional<unsigned> next = high ? escape_at(json, at + 6) : std::nullopt;
    if (high && next && *next >= 0xDC00 && *next < 0xE000) {
      at += 12;
      continue;
    }
    if (high || low) {
      json.replace(at, 6, "\\ufffd");
      ++count;
    }
    at += 6;
  }
  return count;
}

}  // namespace toktier::io
