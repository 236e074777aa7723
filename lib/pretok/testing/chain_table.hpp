#pragma once
// Rows of lib/pretok/testing/chains.tsv, for tests.

#include "pretok/chain_text.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace toktier::pretok::testing {

struct ChainRow {
  model::Reference reference = model::Reference::hf_tokenizers;
  std::string name;
  std::vector<model::PreTokenizer> steps;
};

inline std::vector<ChainRow> chain_rows() {
  const char* root = std::getenv("TOKTIER_SOURCE_DIR");
  std::ifstream in(std::string(root != nullptr ? root : ".") + "/lib/pretok/testing/chains.tsv");
  std::vector<ChainRow> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t one = line.find('\t');
    const std::size_t two = line.find('\t', one + 1);
    ChainRow row;
    if (line.substr(0, one) == "tiktoken") row.reference = model::Reference::tiktoken;
    row.name = line.substr(one + 1, two - one - 1);
    row.steps = parse_chain(std::string_view(line).substr(two + 1));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace toktier::pretok::testing
