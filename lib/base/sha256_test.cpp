#include "base/sha256.hpp"

#include <doctest/doctest.h>

#include <random>

using toktier::base::Sha256;

namespace {
std::string digest(std::string_view text, Sha256::Kernel kernel, std::size_t step) {
  Sha256 sha(kernel);
  for (std::size_t i = 0; i < text.size(); i += step) sha.update(text.substr(i, step));
  return sha.hex();
}
}  // namespace

TEST_CASE("sha256 equals the published examples with every kernel") {
  MESSAGE("CPU has SHA instructions: " << Sha256::cpu_has_sha_instructions());
  for (const auto kernel : {Sha256::Kernel::portable, Sha256::Kernel::automatic}) {
    CHECK(digest("", kernel, 1) ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(digest("abc", kernel, 2) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", kernel, 7) ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(digest(std::string(1000000, 'a'), kernel, 1000) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

TEST_CASE("sha256 kernels agree at every length and cut") {
  std::mt19937 random(7);
  std::string text;
  for (std::size_t n = 0; n < 300; ++n) {
    const std::string a = digest(text, Sha256::Kernel::portable, 1 + n % 70);
    REQUIRE(a == digest(text, Sha256::Kernel::automatic, 1000));
    text.push_back(static_cast<char>(random() & 0xFF));
  }
}
