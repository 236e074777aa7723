// Rows of texts from one pool, with plain words between them; around added tokens likewise.

#include "diff/case_random.hpp"
#include "diff/sources/added_texts.hpp"
#include "diff/sources/generator_rows.hpp"
#include "diff/sources/indexed.hpp"
#include "diff/sources/text_pools.hpp"

#include <fmt/format.h>

namespace toktier::diff::sources {
namespace {

constexpr std::uint64_t kDefaultCount = 100'000;

template <class Texts>
std::string row_of(const Texts& hard, CaseRandom& random) {
  std::string text;
  const std::uint64_t parts = 1 + random.below(1 + random.below(24));
  for (std::uint64_t i = 0; i < parts; ++i) {
    const std::uint64_t kind = random.below(10);
    if (kind < 3) {
      text += plain_texts()[random.below(plain_texts().size())];
    } else if (kind == 3) {
      const auto other = text_pools()[random.below(text_pools().size())].texts;
      text += other[random.below(other.size())];
    } else {
      const std::uint64_t repeat = random.below(10) == 0 ? 1 + random.below(9) : 1;
      const auto& one = hard[random.below(hard.size())];
      for (std::uint64_t r = 0; r < repeat; ++r) text += one;
    }
  }
  return text;
}

std::unique_ptr<DocumentSource> rows_of(const TextPool& pool, const GeneratorRequest& request) {
  return std::make_unique<Indexed>(
      std::string(pool.name), request.count,
      [&pool, seed = request.seed](std::uint64_t index, Document& document) {
        CaseRandom random(seed, index);
        document.text = row_of(pool.texts, random);
        document.id = fmt::format("seed {}, case {}", seed, index);
        return true;
      });
}

std::unique_ptr<DocumentSource> added(const GeneratorRequest& request) {
  need_tokenizer(request, "added");
  return std::make_unique<Indexed>("added", request.count,
                                   [texts = added_texts(*request.tokenizer, SIZE_MAX),
                                    seed = request.seed](std::uint64_t index, Document& document) {
                                     if (texts.empty()) return false;
                                     CaseRandom random(seed, index);
                                     document.text = row_of(texts, random);
                                     document.id = fmt::format("seed {}, case {}", seed, index);
                                     return true;
                                   });
}

}  // namespace

void add_pool_rows(std::vector<GeneratorRow>& rows) {
  for (const TextPool& pool : text_pools())
    rows.push_back({pool.name, pool.what, kDefaultCount,
                    [&pool](const GeneratorRequest& request) { return rows_of(pool, request); }});
  rows.push_back({"added", "around the file's added tokens: whole, in halves, run together",
                  kDefaultCount, added});
}

}  // namespace toktier::diff::sources
