// Speed of PreTokenizer::scan on a text: pretok_bench hf|tiktoken CHAIN FILE [rounds]. Prints MB/s
// of the fastest round, pieces and characters. CHAIN as in chain_text.hpp.

#include "pretok/chain_text.hpp"
#include "pretok/pretokenizer.hpp"
#include "toktier/error.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: pretok_bench hf|tiktoken CHAIN FILE [rounds]\n", stderr);
    return 2;
  }
  try {
    const auto reference = std::strcmp(argv[1], "tiktoken") == 0
                               ? toktier::model::Reference::tiktoken
                               : toktier::model::Reference::hf_tokenizers;
    using Clock = std::chrono::steady_clock;
    const auto before = Clock::now();
    const auto pretok =
        toktier::pretok::PreTokenizer::compile(toktier::pretok::parse_chain(argv[2]), reference);
    const std::chrono::duration<double, std::milli> compile = Clock::now() - before;
    if (!pretok.streams()) {
      std::printf("does not stream: %s\n", pretok.describe().c_str());
      return 0;
    }
    std::ifstream in(argv[3], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const int rounds = argc > 4 ? std::atoi(argv[4]) : 15;
    static std::uint32_t ends[4096];
    double best = 1e9;
    std::size_t pieces = 0;
    for (int r = 0; r < rounds; ++r) {
      const auto start = Clock::now();
      pieces = 0;
      for (std::uint32_t at = 0; at < text.size();) {
        pieces += pretok.scan(text, &at, ends, std::size(ends));
      }
      const std::chrono::duration<double> took = Clock::now() - start;
      best = took.count() < best ? took.count() : best;
    }
    std::printf("%.0f MB/s, %zu bytes, %zu pieces, compile %.2f ms, %s\n",
                static_cast<double>(text.size()) / best / 1e6, text.size(), pieces, compile.count(),
                pretok.describe().c_str());
  } catch (const toktier::Error& error) {
    std::fprintf(stderr, "pretok_bench: %s\n", error.what());
    return 2;
  }
  return 0;
}
