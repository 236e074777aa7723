// Random characters and random bytes.

#include "diff/case_random.hpp"
#include "diff/sources/generator_rows.hpp"
#include "diff/sources/indexed.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

namespace toktier::diff::sources {
namespace {

/// A code point: of all, of the first ones, or a neighbour of the last one, so that rows of one
/// script come up.
char32_t some_character(CaseRandom& random, char32_t last) {
  switch (random.below(4)) {
    case 0:
      return scalar(random.below(kScalars));
    case 1:
      return static_cast<char32_t>(random.below(0x80));
    case 2:
      return scalar(random.below(0x3000));
    default:
      const std::uint64_t near = (last & ~std::uint64_t{0x3F}) + random.below(0x40);
      return near >= 0xD800 && near < 0xE000 ? U'\xE000' : static_cast<char32_t>(near);
  }
}

std::unique_ptr<DocumentSource> utf8(const GeneratorRequest& request) {
  return std::make_unique<Indexed>(
      "utf8", request.count, [seed = request.seed](std::uint64_t index, Document& document) {
        CaseRandom random(seed, index);
        char32_t c = 'a';
        for (std::uint64_t n = 1 + random.below(1 + random.below(60)); n > 0; --n) {
          c = some_character(random, c);
          unicode::append_utf8(document.text, c);
        }
        document.id = fmt::format("seed {}, case {}", seed, index);
        return true;
      });
}

std::unique_ptr<DocumentSource> bytes(const GeneratorRequest& request) {
  return std::make_unique<Indexed>(
      "bytes", request.count, [seed = request.seed](std::uint64_t index, Document& document) {
        CaseRandom random(seed, index);
        for (std::uint64_t n = 1 + random.below(1 + random.below(60)); n > 0; --n) {
          // Damaged UTF-8 rather than noise alone: characters, cut short now and then.
          if (random.below(3) == 0) {
            document.text += static_cast<char>(random.below(256));
          } else {
            std::string one;
            unicode::append_utf8(one, scalar(random.below(kScalars)));
            if (random.below(6) == 0) one.pop_back();
            document.text += one;
          }
        }
        document.id = fmt::format("seed {}, case {}", seed, index);
        return true;
      });
}

}  // namespace

void add_raw_rows(std::vector<GeneratorRow>& rows) {
  rows.push_back({"utf8", "random code points, of all and of one script", 100'000, utf8});
  rows.push_back({"bytes", "damaged UTF-8; engines refuse most of it", 100'000, bytes});
}

}  // namespace toktier::diff::sources
