#include "unicode/profile.hpp"

#include "unicode/tables/tables.hpp"

#include <doctest/doctest.h>

using namespace toktier::unicode;

TEST_CASE("general categories partition the scalar values in both engines") {
  const char* const leaves[] = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl",
                                "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc",
                                "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn"};
  for (const RegexProfile* profile : {&onig_profile(), &tiktoken_profile()}) {
    CAPTURE(profile->name);
    CodePointSet seen;
    std::size_t total = 0;
    for (const char* leaf : leaves) {
      const CodePointSet* set = profile->category(leaf);
      REQUIRE(set != nullptr);
      total += set->intersected(CodePointSet::of(0xD800, 0xDFFF).complement()).count();
      seen = seen.united(*set);
    }
    CHECK(total == 0x110000 - 0x800);
    CHECK(seen.united(CodePointSet::of(0xD800, 0xDFFF)) == CodePointSet::all());
    const CodePointSet letters = profile->category("Lu")
                                     ->united(*profile->category("Ll"))
                                     .united(*profile->category("Lt"))
                                     .united(*profile->category("Lm"))
                                     .united(*profile->category("Lo"));
    CHECK(*profile->category("L") == letters);
    CHECK(*profile->category("letter") == letters);
    CHECK(letters.count() == 141028);  // Unicode 16
  }
}

TEST_CASE("names are compared loosely and unknown names are refused") {
  const RegexProfile& onig = onig_profile();
  CHECK(onig.category("uppercase letter") == onig.category("Lu"));
  CHECK(onig.category("UPPER-CASE_LETTER") == onig.category("Lu"));
  CHECK(onig.category("Latin") == nullptr);
  CHECK(onig.script("Latn") == onig.script("Latin"));
  CHECK(onig.script("Sidetic") == nullptr);  // Unicode 17
  REQUIRE(onig.script("Garay") != nullptr);  // Unicode 16
  CHECK(onig.binary("In_Basic_Latin")->count() == 128);
  CHECK(tiktoken_profile().binary("In_Basic_Latin") == nullptr);
  CHECK(onig.binary("nonsense") == nullptr);
}

TEST_CASE("escapes") {
  for (const RegexProfile* profile : {&onig_profile(), &tiktoken_profile()}) {
    CAPTURE(profile->name);
    CHECK(profile->space().contains(0x85));
    CHECK(profile->space().contains(0x3000));
    CHECK_FALSE(profile->space().contains(0x200B));
    CHECK(profile->space().count() == 25);
    CHECK(profile->word().contains('_'));
    CHECK(profile->digit() == *profile->category("Nd"));
  }
}

TEST_CASE("case folding closes over the odd members") {
  const CodePointSet s = CodePointSet::of('s', 's');
  const CodePointSet k = CodePointSet::of('k', 'k');
  for (const RegexProfile* profile : {&onig_profile(), &tiktoken_profile()}) {
    CAPTURE(profile->name);
    const CodePointSet ss = profile->fold_closure(s);
    CHECK(ss.count() == 3);
    CHECK(ss.contains('S'));
    CHECK(ss.contains(0x17F));
    CHECK(profile->fold_closure(k).contains(0x212A));
    CHECK(profile->fold_closure(CodePointSet::of(0x212A, 0x212A)).contains('k'));
    CHECK(profile->fold_closure(CodePointSet::of('0', '9')).count() == 10);
    CHECK(profile->fold_closure(ss) == ss);
  }
  CHECK(onig_profile().multi_folds().size() == 104);
  CHECK(onig_profile().multi_folds()[0].code_point == 0xDF);
  CHECK(tiktoken_profile().multi_folds().empty());
}
