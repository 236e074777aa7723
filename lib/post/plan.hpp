#pragma once
// What the chain of post-processors makes of one document, worked out once: a list of fixed ids and
// copies of the document's tokens, and which trims touch the spans of each copy.
//
// The reference runs each step over a list of encodings that a template makes longer; a later step
// sees "first token" and "second sequence" relative to those. Running the steps on symbols instead
// of tokens gives exactly the same list for every document, since no step looks at ids.

#include "model/spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::post {

/// One trimming of the spans of a copy of the document.
struct Trim {
  bool add_prefix_space = false;
  bool document_first = true;  // the document's token 0 is the encoding's token 0
};

struct PlanItem {
  bool is_document = false;
  TokenId id = 0;           // when not the document
  std::vector<Trim> trims;  // in order
};

struct Plan {
  std::vector<PlanItem> items;
  std::size_t documents = 0;  // copies of the document
  std::string refusal;        // not empty: the reference fails or needs its pair template
};

Plan make_plan(const std::vector<model::PostProcessor>& steps, bool add_special);

/// Tokens that the reference takes off the truncation limit for one document.
std::size_t reserved_tokens(const std::vector<model::PostProcessor>& steps);

}  // namespace toktier::post
