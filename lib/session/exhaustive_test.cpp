// Every string of up to four symbols through every change at every split, embedded tokenizer.

#include "session/testing/exhaustive.hpp"

#include "model/embedded.hpp"
#include "model/spec.hpp"

#include <doctest/doctest.h>

TEST_CASE("every string of four symbols at every split, embedded tokenizer") {
  using namespace toktier;
  using namespace toktier::session::testing;
  const auto pipeline =
      encode::Pipeline::compile(model::load_bytes(model::embedded_gpt2(), "embedded"));
  const std::vector<std::string> alphabet = {"a", "'", "s",       " ",     "\n",
                                             "1", "!", "<|endof", "text|>"};
  const Counts counts = Exhaustive(*pipeline, alphabet).run(4);
  fmt::print("{} symbols, {} strings, {} changes, {} differ\n", alphabet.size(), counts.strings,
             counts.changes, counts.differ);
  CHECK_MESSAGE(counts.differ == 0, counts.first);
  CHECK(counts.strings == 9 + 81 + 729 + 6561);
}
