#pragma once
// SHA-256 (FIPS 180-4), for fingerprints of tokenizer files.
//
// Two compression functions compute the same value: portable code, and one for CPUs with SHA
// instructions, chosen at run time. A test compares them. Value type, not thread-safe; use one
// object per thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::base {

class Sha256 {
 public:
  enum class Kernel { automatic, portable, sha_instructions };

  /// `kernel` forces one implementation (tests); asking for instructions the CPU lacks falls back
  /// to portable.
  explicit Sha256(Kernel kernel = Kernel::automatic);
  void update(std::string_view bytes);
  /// Ends the computation: 64 lower-case hexadecimal digits. Call once.
  std::string hex();

  static bool cpu_has_sha_instructions();

 private:
  void compress(const unsigned char* blocks, std::size_t count);

  std::array<std::uint32_t, 8> state_;
  std::array<unsigned char, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;  // bytes so far
  bool use_instructions_ = false;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace toktier::base
