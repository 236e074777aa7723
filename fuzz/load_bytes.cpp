// Any bytes given as a tokenizer file: a loaded tokenizer or a toktier::Error, nothing else (no
// crash, no hang, no other exception).

#include "model/spec.hpp"
#include "toktier/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    (void)toktier::model::load_bytes(bytes, "fuzz");
  } catch (const toktier::Error&) {
  }
  return 0;
}
