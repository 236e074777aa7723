#pragma once
// Who made a record: everything that its ids depend on beside its text.

#include "toktier/session.hpp"
#include "toktier/tokenizer.hpp"

#include <cstdint>
#include <string>

namespace toktier::store {

/// Raised whenever a change of this library changes the ids of some text: the records of a version
/// that was wrong shall miss.
inline constexpr std::int64_t kEncodingRevision = 1;

struct Maker {
  std::string fingerprint;  // of the tokenizer's file and load options
  std::string reference;    // engine and version
  std::string unicode;
  std::string options;  // of the session, those that ids depend on
  std::int64_t revision = kEncodingRevision;

  /// All of it in one string; different makers have different ones.
  std::string key() const;
  friend bool operator==(const Maker&, const Maker&) = default;
};

Maker maker_of(const TokenizerInfo& info, const SessionOptions& options);

}  // namespace toktier::store
