#pragma once
// Loading bytes that must be refused, for the tests of this room.

#include "model/spec.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace toktier::model::testing {

/// "input: MESSAGE" or "unsupported: MESSAGE"; "loaded" when nothing was refused.
inline std::string refusal(std::string_view bytes, std::string_view side = {},
                           const LoadOptions& options = {}) {
  try {
    (void)load_bytes(bytes, "file", side, options);
  } catch (const Error& error) {
    const bool named = std::string_view(error.what()).starts_with("file");
    CHECK_MESSAGE(named, error.what());
    if (error.code() == ErrorCode::input) return std::string("input: ") + error.what();
    if (error.code() == ErrorCode::unsupported) return std::string("unsupported: ") + error.what();
    return std::string("other: ") + error.what();
  }
  return "loaded";
}

inline void check_refused(std::string_view bytes, std::string_view code, std::string_view part,
                          std::string_view side = {}) {
  const std::string got = refusal(bytes, side);
  const std::string shown(bytes.substr(0, 300));
  CAPTURE(shown);
  CAPTURE(got);
  CHECK(got.starts_with(code));
  CHECK(got.find(part) != std::string::npos);
}

}  // namespace toktier::model::testing
