#pragma once
// What every format with ranks (tiktoken files, tekken, the packed form) shares. Internal to this
// room.

#include "model/json_fields.hpp"
#include "model/spec.hpp"

#include <string>
#include <string_view>

namespace toktier::model {

/// Collects tokens with ranks and makes the model of them. Reference: tiktoken 0.14.0, which lets
/// an id be its rank.
class RankTable {
 public:
  RankTable(LoadContext& context, TokenizerSpec& spec) : context_(context), spec_(spec) {}

  void reserve(std::size_t tokens, std::size_t bytes) { spec_.vocab.reserve(tokens, bytes); }
  /// `place` names the entry in messages, built only on failure.
  template <class Place>
  void add(TokenId id, std::string_view bytes, const Place& place) {
    if (!spec_.vocab.add(id, bytes)) fail_entry(id, place());
  }
  /// Model, pre-tokenizer and decoder; checks that every single byte has a rank. `shift` = id of
  /// rank 0. `field` is where the pattern stands, for messages.
  void finish(std::string pattern, std::string field, TokenId shift);
  /// A special token; ids outside the ranks are checked against kMaxTokenId.
  void add_special(std::string_view content, std::uint64_t id, const std::string& place);

 private:
  [[noreturn]] void fail_entry(TokenId id, const std::string& place);

  LoadContext& context_;
  TokenizerSpec& spec_;
};

}  // namespace toktier::model
