#pragma once
// Vector files in the form of llama.cpp: NAME.gguf.inp holds texts separated by a line
// "__ggml_vocab_test__", and NAME.gguf.out the ids of each text on one line, without special tokens
// added. Either may be packed with zstd. Where NAME.gguf.inp is missing the input of another name
// with the same texts serves (the folder keeps one copy).

#include "diff/document.hpp"

#include <string>
#include <vector>

namespace toktier::diff::sources {

struct VectorSet {
  std::string name;                 // "ggml-vocab-gpt-2"
  std::string path;                 // of the .out file
  std::vector<Document> documents;  // with quoted ids
};

/// All sets of the folder, by name. Error{input} for damaged files, or when texts and lines of ids
/// do not match in number.
std::vector<VectorSet> read_vectors(const std::string& folder);

}  // namespace toktier::diff::sources
