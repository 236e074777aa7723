#pragma once
// A leaf of a session's state as bytes, and back with everything checked that can be checked
// without encoding: form, UTF-8, ids that exist, seams in order and between characters.

#include "encode/pipeline.hpp"
#include "session/state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::store {

std::string pack_leaf(const session::State::Leaf& leaf);
/// pack_leaf(leaf).size(), without making it.
std::size_t packed_size(const session::State::Leaf& leaf);
/// Nothing when the bytes are no leaf of this tokenizer.
std::optional<session::State::Leaf> unpack_leaf(std::string_view bytes,
                                                const encode::Pipeline& pipeline);

/// What marks must fit: a leaf as the record says it is.
struct LeafOutline {
  enum class Kind : std::uint8_t { begins_run = 1, goes_on = 2, given = 3 } kind{};
  std::size_t bytes = 0;
  std::size_t tokens = 0;
};
LeafOutline outline_of(const session::State::Leaf& leaf);

/// Label and marks of a state.
std::string pack_marks(const session::State& state);
/// Fills `state.label`, `fresh` and `marks`; false when the bytes are none, or do not fit these
/// leaves.
bool unpack_marks(std::string_view bytes, const std::vector<LeafOutline>& leaves,
                  session::State& state);
/// The marks of a run are between characters of its text.
bool marks_at_characters(const session::State& state);

}  // namespace toktier::store
