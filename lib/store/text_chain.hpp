#pragma once
// Hashes by which texts with a common begin are found: entry i stands for the first (i + 1) *
// kStretch bytes, as the hash of its stretch seeded with the entry before. Equal texts have equal
// chains; that two different ones agree is left to a comparison of bytes, so a hash decides nothing
// alone. The values do not depend on the machine.

#include "session/state.hpp"
#include "store/maker.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace toktier::store {

class TextChain {
 public:
  static constexpr std::size_t kStretch = 4096;

  /// An empty text of this maker: chains of different makers have nothing in common.
  explicit TextChain(const Maker& maker);
  /// As above, behind `last`: the entry before the text that is added next.
  static TextChain behind(std::uint64_t last);

  /// The next entries, for the whole stretches of `text`; less than one is not looked at.
  void add(std::string_view text);
  /// The next entries, for the text of `state` from byte `begin`, a multiple of kStretch, to the
  /// last whole stretch of its plain text.
  void add(const session::State& state, std::size_t begin);

  const std::vector<std::uint64_t>& entries() const { return entries_; }

 private:
  TextChain() = default;
  std::uint64_t last_ = 0;
  std::vector<std::uint64_t> entries_;
};

/// How many entries of `chain`, from the first, are known. Whoever knows one knows those before it.
std::size_t known_entries(const std::vector<std::uint64_t>& chain,
                          const std::function<bool(std::uint64_t)>& known);

}  // namespace toktier::store
