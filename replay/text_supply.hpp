#pragma once
// Text for generated sessions: cut from given texts, or made of words, code and data.

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::replay {

/// Not thread-safe; what it gives depends on the seed and the order of calls.
class TextSupply {
 public:
  /// Made text.
  explicit TextSupply(std::uint64_t seed) : state_(seed) {}
  /// Cut from well-formed texts, from a random place on, from the beginning again at an end.
  /// Error{usage} when they are empty.
  TextSupply(std::uint64_t seed, std::vector<std::string> texts);

  /// Exactly so many characters.
  std::string take(std::uint64_t characters);

 private:
  std::string cut(std::uint64_t characters);
  std::string made(std::uint64_t characters);
  void paragraph(std::string& out);

  std::uint64_t state_;
  std::vector<std::string> texts_;
  std::uint64_t bytes_ = 0;
};

}  // namespace toktier::replay
