// Speed of the added-token split: text through both passes, per tokenizer file, in processor time.
//
// usage: split_speed TEXT_FILE TOKENIZER...
// The text is repeated to 64 MiB; the best of three runs counts. The normalizer is left out.

#include "added/added_tokens.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

int main(int argc, char** argv) {
  using namespace toktier;
  if (argc < 3) {
    std::cerr << "usage: split_speed TEXT_FILE TOKENIZER...\n";
    return 2;
  }
  try {
    std::stringstream content;
    content << std::ifstream(argv[1], std::ios::binary).rdbuf();
    std::string text = content.str();
    if (text.empty()) throw std::runtime_error(std::string(argv[1]) + ": empty or not readable");
    constexpr std::size_t kBytes = std::size_t{64} << 20;
    while (text.size() < kBytes) text += text;
    text.resize(kBytes);
    for (int i = 2; i < argc; ++i) {
      const auto tokens = added::AddedTokens::compile(model::load(argv[i]), {});
      const auto filter = tokens.filter(SpecialMode::all);
      std::vector<added::Segment> segments;
      double best = 1e9;
      for (int run = 0; run < 3; ++run) {
        segments.clear();
        const std::clock_t begin = std::clock();
        tokens.split_raw(text, filter, segments);
        tokens.split_normalized(text, filter, segments);
        best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      }
      std::cout << argv[i] << ": " << tokens.table().entries().size() << " tokens, "
                << segments.size() << " segments, "
                << static_cast<long>(static_cast<double>(kBytes) / best / 1e6) << " MB/s\n";
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
