// Places the committed file into the read-only data of the library. TOKTIER_EMBEDDED_GPT2 is its
// path, given by embedded.cmake, which also makes this file depend on it.

#include "model/embedded.hpp"

#include <cstddef>
#include <string_view>

asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".globl toktier_embedded_gpt2_begin\n"
    ".hidden toktier_embedded_gpt2_begin\n"
    "toktier_embedded_gpt2_begin:\n"
    ".incbin \"" TOKTIER_EMBEDDED_GPT2
    "\"\n"
    ".globl toktier_embedded_gpt2_end\n"
    ".hidden toktier_embedded_gpt2_end\n"
    "toktier_embedded_gpt2_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char toktier_embedded_gpt2_begin[] __attribute__((visibility("hidden")));
extern const char toktier_embedded_gpt2_end[] __attribute__((visibility("hidden")));
}

namespace toktier::model {

std::string_view embedded_gpt2() {
  return {toktier_embedded_gpt2_begin,
          static_cast<std::size_t>(toktier_embedded_gpt2_end - toktier_embedded_gpt2_begin)};
}

}  // namespace toktier::model
