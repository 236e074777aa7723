#pragma once
// The groups of generators; each is a file of its own. Used by generator_table() only.

#include "diff/sources/generators.hpp"

#include <vector>

namespace toktier::diff::sources {

void add_pool_rows(std::vector<GeneratorRow>& rows);     // rows of texts from one pool
void add_raw_rows(std::vector<GeneratorRow>& rows);      // random characters, random bytes
void add_grammar_rows(std::vector<GeneratorRow>& rows);  // code, JSON, logs, markdown
void add_class_rows(std::vector<GeneratorRow>& rows);    // from the pattern's classes and automaton

/// Error{usage} "generator NAME needs ..." unless the request has a tokenizer.
void need_tokenizer(const GeneratorRequest& request, const char* name);

}  // namespace toktier::diff::sources
