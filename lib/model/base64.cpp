#include "model/base64.hpp"

#include <array>
#include <cstdint>

namespace toktier::model {
namespace {
constexpr std::uint8_t kBad = 0xFF;
constexpr std::array<std::uint8_t, 256> make_table() {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> table{};
  for (auto& entry : table) entry = kBad;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}
constexpr std::array<std::uint8_t, 256> kValue = make_table();
}  // namespace

bool decode_base64(std::string_view text, std::string& out) {
  if (text.size() % 4 != 0) return false;
  const auto value = [&](std::size_t i) -> std::uint32_t {
    return kValue[static_cast<unsigned char>(text[i])];
  };
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t pad =
        last && text[i + 3] == '=' ? (text[i + 2] == '=' ? std::size_t{2} : std::size_t{1}) : 0;
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4 - pad; ++k) {
      const std::uint32_t v = value(i + k);
      if (v == kBad) return false;
      bits |= v << (18 - 6 * k);
    }
    if (pad == 1 && (bits & 0xFFU) != 0) return false;
    if (pad == 2 && (bits & 0xFFFFU) != 0) return false;
    out.push_back(static_cast<char>(bits >> 16));
    if (pad < 2) out.push_back(static_cast<char>(bits >> 8));
    if (pad < 1) out.push_back(static_cast<char>(bits));
  }
  return true;
}

}  // namespace toktier::model
