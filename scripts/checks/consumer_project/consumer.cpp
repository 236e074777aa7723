// Encodes one line with the embedded tokenizer and prints the ids.

#include <cstdio>

#include "toktier/tokenizer.hpp"

int main() {
  const toktier::Tokenizer tokenizer = toktier::Tokenizer::load("embedded");
  for (const toktier::TokenId id : tokenizer.encode("Hello world!").ids) std::printf("%u ", id);
  std::printf("\n");
}
