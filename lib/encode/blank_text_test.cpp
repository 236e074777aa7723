// Texts read as they stand against the same texts rewritten step by step, which is what a run with
// spans does: all short texts over the characters that matter, and which files are taken at all.

#include "encode/blank_text.hpp"

#include "encode/pipeline.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace toktier;
using model::SplitBehavior;
using model::TokenizerSpec;

const std::string kMark = "\xE2\x96\x81";

// `bytes`: "x" is spelled by bytes; else it is unknown, and `fuse` makes neighbours one token.
TokenizerSpec bpe_spec(bool bytes, bool fuse = true) {
  TokenizerSpec spec;
  model::Bpe bpe;
  const auto put = [&](const std::string& text) {
    spec.vocab.add(spec.vocab.end_id(), text);
    return spec.vocab.end_id() - 1;
  };
  put("<unk>");
  for (unsigned b = 0; bytes && b < 256; ++b) put(fmt::format("<0x{:02X}>", b));
  std::map<std::string, TokenId> ids;
  for (const std::string& c :
       {kMark, std::string("a"), std::string("b"), std::string("\xE4\xB8\xAD"), std::string(" ")})
    ids[c] = put(c);
  const auto merge = [&](const std::string& left, const std::string& right) {
    if (!ids.contains(left + right)) ids[left + right] = put(left + right);
    bpe.merges.push_back({ids.at(left), ids.at(right), ids.at(left + right)});
  };
  merge("a", "b");
  merge(kMark, "a");
  merge(kMark, kMark);
  merge(kMark + "a", "b");
  merge(kMark, "ab");
  merge("b", kMark);
  merge(kMark + kMark, kMark + kMark);
  merge(kMark, "\xE4\xB8\xAD");
  merge("a", kMark + "a");
  merge(kMark + kMark, "ab");
  // A blank of the vocabulary is never reached, nor what it merges to.
  merge(" ", "a");
  merge("b", " ");
  bpe.unk_token = "<unk>";
  bpe.fuse_unk = fuse;
  bpe.byte_fallback = bytes;
  spec.model = bpe;
  spec.vocab.index();
  for (const char* content : {"[R]", "b["}) {
    model::AddedToken token;
    token.id = static_cast<TokenId>(spec.vocab.end_id() + spec.added_tokens.size());
    token.content = content;
    token.normalized = false;
    token.rstrip = spec.added_tokens.empty();
    spec.added_tokens.push_back(token);
  }
  return spec;
}

struct Chain {
  const char* name;
  bool taken;
  std::vector<model::Normalizer> normalizers;
  std::vector<model::PreTokenizer> steps;
};

std::vector<Chain> chains() {
  using namespace model;
  const NormReplace blanks{{false, " "}, kMark};
  const auto split = [](const std::string& text, bool invert = false) {
    return PreSplit{{false, text}, SplitBehavior::merged_with_previous, invert};
  };
  const auto metaspace = [](PrependScheme scheme, bool cut = false) {
    return PreMetaspace{kMark, scheme, cut};
  };
  return {
      {"replace", true, {blanks}, {}},
      {"prepend, replace", true, {NormPrepend{kMark}, blanks}, {}},
      {"replace, split at blanks", true, {blanks}, {split(" ")}},
      {"prepend, replace, split at a string", true, {NormPrepend{kMark}, blanks}, {split("ba")}},
      {"two replacements", true, {NormReplace{{false, "ab"}, kMark}, blanks}, {split("ab")}},
      {"a replacement that makes blanks", true, {NormReplace{{false, "b"}, " a"}, blanks}, {}},
      {"a replacement of a mark", true, {NormReplace{{false, kMark}, "a"}, blanks}, {}},
      {"metaspace never", true, {}, {metaspace(PrependScheme::never)}},
      {"metaspace first", true, {}, {metaspace(PrependScheme::first)}},
      {"metaspace always", true, {}, {metaspace(PrependScheme::always)}},
      {"nothing", false, {}, {}},
      {"prepend alone", false, {NormPrepend{kMark}}, {}},
      {"prepend of something else", false, {NormPrepend{"a"}, blanks}, {}},
      {"prepend behind", false, {blanks, NormPrepend{kMark}}, {}},
      {"replaced by two", false, {NormReplace{{false, " "}, kMark + kMark}}, {}},
      {"a pattern", false, {NormReplace{{true, " "}, kMark}}, {}},
      {"another step", false, {NormLowercase{}, blanks}, {}},
      {"a string between", false, {NormPrepend{kMark}, NormReplace{{false, "a"}, "b"}, blanks}, {}},
      {"split at marks", false, {blanks}, {split(kMark + "a")}},
      {"split inverted", false, {blanks}, {split(" ", true)}},
      {"split at blanks, nothing replaced", false, {}, {split(" ")}},
      {"digits", false, {blanks}, {PreDigits{true}}},
      {"metaspace that cuts", false, {}, {metaspace(PrependScheme::always, true)}},
      {"metaspace behind a step", false, {NormLowercase{}}, {metaspace(PrependScheme::first)}},
      {"metaspace with a letter", false, {}, {PreMetaspace{"a", PrependScheme::always, false}}}};
}

std::size_t all_texts(std::size_t longest, const std::function<void(const std::string&)>& visit) {
  const std::vector<std::string> parts = {" ", kMark, "a", "b", "x", "\xE4\xB8\xAD", "[R]"};
  std::size_t count = 0;
  std::vector<std::string> last = {""};
  for (std::size_t n = 1; n <= longest; ++n) {
    std::vector<std::string> next;
    for (const std::string& text : last)
      for (const std::string& part : parts) next.push_back(text + part);
    for (const std::string& text : next) visit(text);
    count += next.size();
    last = std::move(next);
  }
  return count;
}

}  // namespace

TEST_CASE("texts read as they stand give the ids of rewritten ones") {
  std::size_t compared = 0, read = 0;
  for (const int kind : {0, 1, 2}) {
    for (const Chain& chain : chains()) {
      TokenizerSpec spec = bpe_spec(kind == 2, kind == 1);
      spec.normalizers = chain.normalizers;
      spec.pre_tokenizers = chain.steps;
      const auto plan = encode::BlankText::of(spec);
      CHECK_MESSAGE(plan.has_value() == chain.taken, std::string(chain.name));
      const auto pipeline = encode::Pipeline::compile(spec);
      // What one way remembers must not answer for the other.
      const auto scratch = pipeline->scratch(1 << 20), other = pipeline->scratch(1 << 20);
      const added::SpecialFilter filter = pipeline->added().filter(SpecialMode::all);
      std::size_t differ = 0;
      const auto check = [&](const std::string& text) {
        encode::EncodeWants wants;
        wants.spans = true;
        Encoding slow, fast;
        pipeline->run(text, filter, wants, *other, slow);
        pipeline->run(text, filter, {}, *scratch, fast);
        read += plan && plan->reads(text);
        const bool equal = fast.ids == slow.ids;
        if (!equal && differ++ == 0)
          FAIL_CHECK(chain.name << ": \"" << text.substr(0, 100) << "\"");
      };
      compared += all_texts(chain.taken ? 5 : 3, check);
      // Segments beyond the short keys, beyond the lanes, and streamed.
      for (const std::size_t n : {14, 15, 16, 17, 31, 33, 100, 20000}) {
        for (const char* part :
             {" ", "a", "ab", " ab", "a b ", " x", "x", "axxb", "\xE4\xB8\xAD "}) {
          std::string text;
          while (text.size() < n) text += part;
          check(text);
          check(text + "[R]" + text + kMark);
        }
      }
      CHECK(differ == 0);
    }
  }
  fmt::print("blank texts: {} compared, {} read as they stand\n", compared, read);
  CHECK(read > 100000);
}

TEST_CASE("models and added tokens that keep texts from being read as they stand") {
  const std::vector<model::Normalizer> blanks = {model::NormReplace{{false, " "}, kMark}};
  const auto taken = [&](const std::function<void(TokenizerSpec&, model::Bpe&)>& change) {
    TokenizerSpec spec = bpe_spec(true);
    spec.normalizers = blanks;
    change(spec, std::get<model::Bpe>(spec.model));
    return encode::BlankText::of(spec).has_value();
  };
  CHECK(taken([](TokenizerSpec&, model::Bpe&) {}));
  CHECK_FALSE(taken([](TokenizerSpec&, model::Bpe& bpe) { bpe.ignore_merges = true; }));
  CHECK_FALSE(taken([](TokenizerSpec&, model::Bpe& bpe) { bpe.end_of_word_suffix = "</w>"; }));
  CHECK_FALSE(taken([](TokenizerSpec&, model::Bpe& bpe) { bpe.continuing_subword_prefix = "##"; }));
  CHECK_FALSE(taken(
      [](TokenizerSpec& spec, model::Bpe&) { spec.reference = model::Reference::sentencepiece; }));
  CHECK_FALSE(taken([](TokenizerSpec& spec, model::Bpe& bpe) {
    bpe.merges.clear();
    spec.vocab = {};
    spec.vocab.add(0, "a");
    spec.vocab.index();
  }));

  // Added tokens of normalized text are looked for in it.
  TokenizerSpec spec = bpe_spec(true);
  spec.normalizers = blanks;
  spec.added_tokens[1].content = "b a";
  spec.added_tokens[1].normalized = true;
  const auto pipeline = encode::Pipeline::compile(spec);
  const auto scratch = pipeline->scratch(1 << 16);
  const added::SpecialFilter filter = pipeline->added().filter(SpecialMode::all);
  for (const char* text : {"ab a", "ab a b a", "b  a", "b a[R] b a"}) {
    encode::EncodeWants wants;
    wants.spans = true;
    Encoding slow, fast;
    pipeline->run(text, filter, wants, *scratch, slow);
    pipeline->run(text, filter, {}, *scratch, fast);
    CHECK(fast.ids == slow.ids);
  }
}
