#include "normalize/charsmap.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

namespace toktier::normalize {
namespace {

constexpr std::uint32_t kValueFlag = 1U << 31;
constexpr std::size_t kBlock = 256;  // units; children of one node lie in one block

bool has_leaf(std::uint32_t unit) { return ((unit >> 8) & 1) != 0; }
std::uint32_t value(std::uint32_t unit) { return unit & ~kValueFlag; }
/// A value unit's label equals no byte.
std::uint32_t label(std::uint32_t unit) { return unit & (kValueFlag | 0xFF); }
std::size_t offset(std::uint32_t unit) {
  return std::size_t{unit >> 10} << ((unit & (1U << 9)) >> 6);
}

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorCode::input, "damaged precompiled_charsmap: " + what, "Precompiled");
}

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 4; i-- > 0;) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

}  // namespace

Charsmap::Charsmap(std::string_view blob, Dialect dialect) {
  if (blob.size() < 4) damaged("shorter than its header");
  const std::uint32_t bytes = little_endian(blob, 0);
  const std::size_t count = bytes / 4;
  if (count * 4 > blob.size() - 4)
    damaged("trie of " + std::to_string(bytes) + " bytes exceeds the map");
  if (dialect == Dialect::sentencepiece &&
      (bytes < 1024 || bytes % 1024 != 0 || bytes >= blob.size() - 4)) {
    damaged("trie of " + std::to_string(bytes) + " bytes is no whole number of blocks");
  }
  units_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) units_.push_back(little_endian(blob, 4 + 4 * i));
  texts_.assign(blob.substr(4 + 4 * count));
  if (dialect == Dialect::hf_tokenizers && unicode::find_invalid_utf8(texts_))
    damaged("a text is not UTF-8");
  check_units(dialect);
}

/// Every unit that can stand for a node leads to a whole block inside the trie, and every value
/// into the texts. That bounds every look-up, also of units that no key reaches.
void Charsmap::check_units(Dialect dialect) const {
  if (units_.empty()) damaged("empty trie");
  if (dialect == Dialect::sentencepiece &&
      (label(units_[0]) != 0 || has_leaf(units_[0]) || offset(units_[0]) == 0)) {
    damaged("root");
  }
  const auto at = [](std::size_t i) { return " at unit " + std::to_string(i); };
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::uint32_t unit = units_[i];
    if ((unit & kValueFlag) == 0) {
      const std::size_t child = i ^ offset(unit);
      if ((child | (kBlock - 1)) >= units_.size()) damaged("offset" + at(i));
      if (has_leaf(unit) && (units_[child] & kValueFlag) == 0) damaged("leaf" + at(i));
      continue;
    }
    const std::size_t text = value(unit);
    if (dialect == Dialect::sentencepiece) {
      if (text >= texts_.size()) damaged("value" + at(i));
    } else if (text > texts_.size() ||
               (text < texts_.size() &&
                (static_cast<unsigned char>(texts_[text]) & 0xC0) == 0x80)) {
      damaged("value" + at(i));
    }
  }
}

std::string_view Charsmap::text_at(std::uint32_t index) const {
  const std::string_view rest = std::string_view(texts_).substr(index);
  return rest.substr(0, rest.find('\0'));
}

/// Calls visit(key bytes, value) for every key that begins `key`, shortest first, until it returns
/// false.
template <class Visit>
void Charsmap::prefixes(std::string_view key, Visit visit) const {
  std::size_t node = offset(units_[0]);
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto byte = static_cast<unsigned char>(key[i]);
    node ^= byte;
    const std::uint32_t unit = units_[node];
    if (byte == 0 || label(unit) != byte) return;
    node ^= offset(unit);
    if (has_leaf(unit) && !visit(static_cast<std::uint32_t>(i + 1), value(units_[node]))) return;
  }
}

bool Charsmap::each_key(const std::function<void(std::string_view)>& visit) const {
  constexpr std::size_t kMaxKeys = 1000000, kMaxBytes = 64;
  struct Open {
    std::size_t node;  // where the children are
    std::string key;
  };
  std::vector<Open> open = {{offset(units_[0]), ""}};
  std::size_t keys = 0;
  while (!open.empty()) {
    const Open from = std::move(open.back());
    open.pop_back();
    if (++keys > kMaxKeys || from.key.size() > kMaxBytes) return false;
    for (std::size_t byte = 1; byte < 256; ++byte) {
      const std::size_t at = from.node ^ byte;
      const std::uint32_t unit = units_[at];
      if (label(unit) != byte) continue;
      const std::string key = from.key + static_cast<char>(byte);
      if (has_leaf(unit)) visit(key);
      open.push_back({at ^ offset(unit), key});
    }
  }
  return true;
}

bool Charsmap::begins_key(unsigned char byte) const {
  return byte != 0 && label(units_[offset(units_[0]) ^ byte]) == byte;
}

std::optional<std::string_view> Charsmap::shortest(std::string_view key) const {
  std::optional<std::string_view> found;
  prefixes(key, [&](std::uint32_t, std::uint32_t text) {
    found = text_at(text);
    return false;
  });
  return found;
}

std::optional<Charsmap::Found> Charsmap::longest(std::string_view key, std::size_t limit) const {
  std::optional<Found> found;
  std::size_t seen = 0;
  prefixes(key, [&](std::uint32_t bytes, std::uint32_t text) {
    found = Found{text_at(text), bytes};
    return ++seen < limit;
  });
  return found;
}

}  // namespace toktier::normalize
