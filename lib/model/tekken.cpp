// tekken.json. Reference: tiktoken 0.14.0 run with the file's pattern and ranks, ids shifted by the
// number of special tokens, which is how the format's own reader uses it: ids 0 .. n-1 are the
// special tokens, id = rank + n for the rest, and only the first default_vocab_size - n ranks
// count.

#include "model/base64.hpp"
#include "model/loaders.hpp"
#include "model/rank_table.hpp"

#include <fmt/format.h>

#include <array>

namespace toktier::model {
namespace {

// Files of version v1 to v3 carry no list of special tokens; this is the list their reader uses.
constexpr std::array<std::string_view, 20> kEarlySpecials = {"<unk>",
                                                             "<s>",
                                                             "</s>",
                                                             "[INST]",
                                                             "[/INST]",
                                                             "[AVAILABLE_TOOLS]",
                                                             "[/AVAILABLE_TOOLS]",
                                                             "[TOOL_RESULTS]",
                                                             "[/TOOL_RESULTS]",
                                                             "[TOOL_CALLS]",
                                                             "[IMG]",
                                                             "<pad>",
                                                             "[IMG_BREAK]",
                                                             "[IMG_END]",
                                                             "[PREFIX]",
                                                             "[MIDDLE]",
                                                             "[SUFFIX]",
                                                             "[SYSTEM_PROMPT]",
                                                             "[/SYSTEM_PROMPT]",
                                                             "[TOOL_CONTENT]"};

void read_specials(Fields& f, std::size_t count, RankTable& table, LoadContext& context) {
  std::vector<std::string> names(count);
  if (const auto list = f.find_value("special_tokens")) {
    std::size_t i = 0;
    for (const Json entry : to_array(*list, context, "special_tokens")) {
      Fields token(entry, context, fmt::format("special_tokens[{}]", i++));
      const std::size_t rank = token.need_size("rank");
      std::string text = token.need_string("token_str");
      if (rank >= count || !names[rank].empty()) {
        fail_input(context, token.path("rank"),
                   fmt::format("{} found, a number below {} used once expected", rank, count));
      }
      names[rank] = std::move(text);
    }
  } else {
    for (std::size_t i = 0; i < std::min(count, kEarlySpecials.size()); ++i)
      names[i] = kEarlySpecials[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    table.add_special(names[i].empty() ? fmt::format("<SPECIAL_{}>", i) : names[i], i,
                      "special_tokens");
  }
}

}  // namespace

void load_tekken(Json document, LoadContext& context, TokenizerSpec& spec) {
  Fields f(document, context, "");
  Fields config(f.need("config"), context, "config");
  std::string pattern = config.need_string("pattern");
  const std::size_t size = config.need_size("default_vocab_size");
  const std::size_t specials = config.need_size("default_num_special_tokens");
  (void)config.find("num_vocab_tokens");
  (void)config.maybe_string("version");
  if (size > std::size_t{kMaxTokenId} + 1 || specials > size) {
    fail_input(
        context, "config",
        fmt::format("default_vocab_size {} and default_num_special_tokens {} found; at most {} "
                    "tokens, and no more special tokens than that",
                    size, specials, kMaxTokenId + 1));
  }
  const std::size_t wanted = size - specials;
  RankTable table(context, spec);
  read_specials(f, specials, table, context);
  const simdjson::dom::array list = to_array(f.need("vocab"), context, "vocab");
  table.reserve(size, list.size() * 8);
  std::string bytes;
  std::size_t expected = 0;
  for (const Json entry : list) {
    if (expected == wanted) break;
    const auto place = [&] { return fmt::format("vocab[{}]", expected); };
    std::uint64_t rank = 0;
    std::string_view text;
    simdjson::dom::object object;
    bytes.clear();
    if (entry.get(object) != simdjson::SUCCESS ||
        object.at_key("rank").get(rank) != simdjson::SUCCESS ||
        object.at_key("token_bytes").get(text) != simdjson::SUCCESS ||
        !decode_base64(text, bytes)) {
      fail_input(context, place(), "an object with rank and token_bytes (base64) expected");
    }
    const bool single =
        expected >= 256 || (bytes.size() == 1 && static_cast<unsigned char>(bytes[0]) == expected);
    if (rank != expected || !single) {
      fail_input(context, place(),
                 "ranks must be 0, 1, 2, ... and the first 256 tokens the single bytes in order");
    }
    table.add(static_cast<TokenId>(rank + specials), bytes, place);
    ++expected;
  }
  if (expected < wanted) {
    fail_input(context, "vocab", fmt::format("{} tokens found, {} expected", expected, wanted));
  }
  table.finish(std::move(pattern), "config.pattern", static_cast<TokenId>(specials));
  spec.kind = FileKind::tekken;
  f.note_unused();
}

}  // namespace toktier::model
