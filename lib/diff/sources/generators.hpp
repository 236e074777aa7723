#pragma once
// Documents made by rule, the same on every machine: document k depends on (seed, k) only.

#include "diff/document.hpp"
#include "toktier/tokenizer.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff::sources {

/// What generators may ask of the tokenizer under test.
struct Vocabulary {
  std::uint32_t end_id = 0;
  std::function<std::string(TokenId)> text;  // decoded alone; empty when the id is unused
};

struct GeneratorRequest {
  std::uint64_t seed = 0;
  std::uint64_t count = 0;  // from "NAME:COUNT"; 0 = the row's default
  Vocabulary vocabulary;
  /// The tokenizer under test; null when only other engines load the file. Rows that need it say so
  /// by Error{usage}.
  std::shared_ptr<const Tokenizer> tokenizer;
};

struct GeneratorRow {
  std::string_view name;
  std::string_view what;
  std::uint64_t default_count = 0;  // 0 = all there are; the name takes no ":COUNT"
  std::function<std::unique_ptr<DocumentSource>(const GeneratorRequest&)> make;
};

const std::vector<GeneratorRow>& generator_table();

/// "NAME" or "NAME:COUNT". Error{usage} for an unknown name or a bad count. Fills count, keeps the
/// rest of `request`.
std::unique_ptr<DocumentSource> make_generator(std::string_view spec, GeneratorRequest request);

/// All strings over `alphabet` of lengths 1 to `length`, shortest first. Error{usage} when there
/// are over 2^40.
std::unique_ptr<DocumentSource> exhaustive(std::vector<std::string> alphabet, std::size_t length);

/// Members of each character class of the patterns (as the tokenizer's info shows them), one per
/// class, then `extra` ones of each class as far as there are. Empty when there is no pattern that
/// can be parsed.
std::vector<std::string> class_alphabet(const std::string& patterns, bool tiktoken_dialect,
                                        std::size_t extra);

}  // namespace toktier::diff::sources
