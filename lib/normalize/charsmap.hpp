#pragma once
// The precompiled character map of SentencePiece: a double-array trie over UTF-8 keys and a blob of
// replacement texts ended by NUL. Two engines read it with different rules; both are here.
//
// Layout: u32 size of the trie in bytes, the trie (u32 units, little endian), the texts. A unit
// holds an offset, a label and a leaf flag; the unit of a leaf holds its value, an index into the
// texts (darts-clone).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::normalize {

class Charsmap {
 public:
  /// Whose rules decide which maps are damaged.
  enum class Dialect { hf_tokenizers, sentencepiece };

  /// Throws Error{input} for a damaged map. After that no look-up leaves the map's bounds, whatever
  /// the key.
  Charsmap(std::string_view blob, Dialect dialect);

  /// The replacement for the SHORTEST key that begins `key`: what the Hugging Face engine takes.
  std::optional<std::string_view> shortest(std::string_view key) const;

  /// Calls visit(key) for every key; false when there are more, or longer ones, than any real map
  /// has (a damaged map may lead in circles).
  bool each_key(const std::function<void(std::string_view)>& visit) const;

  /// False when no key begins with this byte.
  bool begins_key(unsigned char byte) const;

  struct Found {
    std::string_view text;
    std::uint32_t key_bytes;
  };
  /// The replacement for the LONGEST key that begins `key`, among the first `limit` keys.
  std::optional<Found> longest(std::string_view key, std::size_t limit) const;

 private:
  std::string_view text_at(std::uint32_t value) const;
  void check_units(Dialect dialect) const;
  template <class Visit>
  void prefixes(std::string_view key, Visit visit) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace toktier::normalize
