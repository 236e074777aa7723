#pragma once
// Pools of short texts that are hard for tokenizers, by what is hard about them. A generator is
// made of each; ways put all of them into texts. Process-wide constants.

#include <span>
#include <string_view>

namespace toktier::diff::sources {

struct TextPool {
  std::string_view name;
  std::string_view what;  // of the generator
  std::span<const std::string_view> texts;
};

std::span<const TextPool> text_pools();

/// What stands between the hard texts.
std::span<const std::string_view> plain_texts();

}  // namespace toktier::diff::sources
