#include "diff/ways/hazards.hpp"

#include "diff/sources/added_texts.hpp"
#include "diff/sources/text_pools.hpp"
#include "encode/tokenizer_impl.hpp"
#include "unicode/utf8.hpp"

namespace toktier::diff::ways {

std::vector<std::string> hazards_of(const Tokenizer& tokenizer) {
  std::vector<std::string> out = sources::added_texts(tokenizer, 12);
  for (const sources::TextPool& pool : sources::text_pools())
    out.insert(out.end(), pool.texts.begin(), pool.texts.end());
  for (const char32_t c : tokenizer.impl().pipeline->pre_tokenizer().alphabet(1)) {
    out.emplace_back();
    unicode::append_utf8(out.back(), c);
  }
  return out;
}

}  // namespace toktier::diff::ways
