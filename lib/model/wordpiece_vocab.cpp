// WordPiece vocab.txt: one token a line, id = line number. Reference: tokenizers 0.23.3 as its
// BertWordPieceTokenizer puts the pieces together from such a file (BertNormalizer,
// BertPreTokenizer, WordPiece decoder, BertProcessing).

#include "model/loaders.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace toktier::model {
namespace {

// Case is not in the file. A cased vocabulary holds thousands of entries with capital letters; an
// uncased one none but the bracketed control tokens.
bool holds_capitals(const Vocab& vocab) {
  for (TokenId id = 0; id < vocab.end_id(); ++id) {
    const std::string_view token = vocab[id];
    if (token.size() > 2 && token.front() == '[' && token.back() == ']') continue;
    if (std::any_of(token.begin(), token.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
      return true;
  }
  return false;
}

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// The reference drops white space (the Unicode property) at the end of each line, and only there.
std::string_view trim_end(std::string_view line) {
  while (!line.empty()) {
    std::size_t last = line.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(line[last]) & 0xC0U) == 0x80) --last;
    if (!is_white_space(unicode::decode(line.data() + last).code_point)) break;
    line = line.substr(0, last);
  }
  return line;
}

}  // namespace

void load_wordpiece_vocab(std::string_view bytes, const LoadOptions& options, LoadContext& context,
                          TokenizerSpec& spec) {
  spec.kind = FileKind::wordpiece_vocab;
  spec.reference = Reference::hf_tokenizers;
  spec.specials_by_default = true;
  if (const auto bad = unicode::find_invalid_utf8(bytes)) {
    fail_input(context, "", fmt::format("not UTF-8 at byte {}", *bad));
  }
  const auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
  spec.vocab.reserve(lines, bytes.size());
  TokenId id = 0;
  std::size_t repeated = 0;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = trim_end(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (!spec.vocab.add(id, line))
      fail_input(context, fmt::format("line {}", id + 1), "too many lines");
    ++id;
  }
  spec.vocab.index();
  if (spec.vocab.distinct() < spec.vocab.size()) {
    repeated = spec.vocab.size() - spec.vocab.distinct();
    context.notes.push_back(
        fmt::format("{} lines repeat an earlier token; the last one holds", repeated));
    spec.vocab.drop_shadowed();
  }
  for (const std::string_view name : {"[UNK]", "[SEP]", "[CLS]"}) {
    if (spec.vocab.find(name) == kNoToken) {
      fail_unsupported(context, "",
                       fmt::format("a vocabulary without {}; a tokenizer.json would say "
                                   "how to use it",
                                   name));
    }
  }
  const bool lowercase = options.lowercase.value_or(!holds_capitals(spec.vocab));
  context.notes.push_back(fmt::format(
      "text is {}, {}", lowercase ? "lower-cased and stripped of accents" : "kept in its case",
      options.lowercase ? "as asked"
                        : (lowercase ? "because no entry holds a capital letter A-Z"
                                     : "because entries hold capital letters A-Z")));
  spec.model = WordPiece{};
  spec.normalizers = {NormBert{true, true, std::nullopt, lowercase}};
  spec.pre_tokenizers = {PreBert{}};
  spec.decoders = {DecWordPiece{}};
  spec.post_processors = {PostBert{spec.vocab.find("[SEP]"), spec.vocab.find("[CLS]")}};
  for (const std::string_view name : {"[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]"}) {
    const TokenId at = spec.vocab.find(name);
    if (at == kNoToken) continue;
    AddedToken token;
    token.id = at;
    token.content = name;
    token.special = true;
    spec.added_tokens.push_back(std::move(token));
  }
}

}  // namespace toktier::model
