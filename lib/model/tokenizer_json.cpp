// tokenizer.json as a whole. Reference: tokenizers 0.23.3.

#include "model/loaders.hpp"

#include <fmt/format.h>

#include <unordered_map>

namespace toktier::model {
namespace {

std::optional<Truncation> read_truncation(Json value, LoadContext& context) {
  if (value.is_null()) return std::nullopt;
  Fields f(value, context, "truncation");
  f.refuse_repeated();
  Truncation out;
  if (const auto direction = f.find("direction")) {
    const std::string_view name = to_string(*direction, context, f.path("direction"));
    if (name != "Left" && name != "Right") {
      fail_input(context, f.path("direction"),
                 fmt::format("\"{}\" found, Left or Right expected", name));
    }
    out.left = name == "Left";
  }
  out.max_length = f.need_size("max_length");
  const std::string strategy = f.need_string("strategy");
  if (strategy == "LongestFirst") {
    out.strategy = Truncation::Strategy::longest_first;
  } else if (strategy == "OnlyFirst") {
    out.strategy = Truncation::Strategy::only_first;
  } else if (strategy == "OnlySecond") {
    out.strategy = Truncation::Strategy::only_second;
  } else {
    fail_input(
        context, f.path("strategy"),
        fmt::format("\"{}\" found, LongestFirst, OnlyFirst or OnlySecond expected", strategy));
  }
  out.stride = f.need_size("stride");
  f.note_unused();
  return out;
}

std::optional<Padding> read_padding(Json value, LoadContext& context) {
  if (value.is_null()) return std::nullopt;
  Fields f(value, context, "padding");
  f.refuse_repeated();
  Padding out;
  const Json strategy = f.need("strategy");
  std::string_view name;
  if (strategy.get(name) != simdjson::SUCCESS || name != "BatchLongest") {
    Fields fixed(strategy, context, f.path("strategy"));
    out.fixed = fixed.need_size("Fixed");
  }
  const std::string direction = f.need_string("direction");
  if (direction != "Left" && direction != "Right") {
    fail_input(context, f.path("direction"),
               fmt::format("\"{}\" found, Left or Right expected", direction));
  }
  out.left = direction == "Left";
  if (const auto multiple = f.find_value("pad_to_multiple_of")) {
    out.pad_to_multiple_of = to_unsigned(*multiple, context, f.path("pad_to_multiple_of"));
  }
  out.pad_id = f.need_u32("pad_id");
  out.pad_type_id = f.need_u32("pad_type_id");
  out.pad_token = f.need_string("pad_token");
  f.note_unused();
  return out;
}

AddedToken read_added_token(Json value, LoadContext& context, const std::string& field) {
  Fields f(value, context, field);
  f.refuse_repeated();
  AddedToken out;
  out.id = f.need_u32("id");
  out.content = f.need_string("content");
  out.single_word = f.need_bool("single_word");
  out.lstrip = f.need_bool("lstrip");
  out.rstrip = f.need_bool("rstrip");
  out.normalized = f.need_bool("normalized");
  out.special = f.need_bool("special");
  f.note_unused();
  return out;
}

// The reference does not trust the ids in the file. A token whose text is known (an earlier added
// token, else an entry of the model) gets that id, any other the next free number, counted from the
// size of the vocabulary.
void resolve_added_tokens(std::vector<AddedToken> listed, LoadContext& context,
                          TokenizerSpec& spec) {
  std::unordered_map<std::string, TokenId> known;
  TokenId next = static_cast<TokenId>(
      std::holds_alternative<Unigram>(spec.model) ? spec.vocab.size() : spec.vocab.distinct());
  for (AddedToken& token : listed) {
    if (token.content.empty()) {
      context.notes.push_back(
          fmt::format("added token {} is empty and ignored by the reference", token.id));
      continue;
    }
    const TokenId stated = token.id;
    const auto [at, fresh] = known.try_emplace(token.content, 0);
    if (fresh) {
      const TokenId id = spec.vocab.find(token.content);
      at->second = id != kNoToken ? id : next++;
    }
    token.id = at->second;
    if (token.id != stated) {
      context.notes.push_back(
          fmt::format("added token \"{}\" says id {} but gets id {} in the reference",
                      token.content, stated, token.id));
    }
    // A text listed again stays listed again: what the reference makes of it depends on the order.
    spec.added_tokens.push_back(std::move(token));
  }
}

}  // namespace

void load_tokenizer_json(Json document, LoadContext& context, TokenizerSpec& spec) {
  spec.kind = FileKind::tokenizer_json;
  spec.reference = Reference::hf_tokenizers;
  spec.specials_by_default = true;
  Fields f(document, context, "");
  if (f.find("version")) {
    const std::string version = f.need_string("version");
    if (version != "1.0") {
      fail_input(context, "version", fmt::format("\"{}\" found, \"1.0\" expected", version));
    }
  }
  if (const auto value = f.find("truncation")) spec.truncation = read_truncation(*value, context);
  if (const auto value = f.find("padding")) spec.padding = read_padding(*value, context);
  if (const auto value = f.find("normalizer")) spec.normalizers = read_normalizers(*value, context);
  if (const auto value = f.find("pre_tokenizer")) {
    spec.pre_tokenizers = read_pre_tokenizers(*value, context);
  }
  if (const auto value = f.find("post_processor")) {
    spec.post_processors = read_post_processors(*value, context);
  }
  if (const auto value = f.find("decoder")) spec.decoders = read_decoders(*value, context);
  read_model(f.need("model"), context, spec);
  if (const auto value = f.find("added_tokens")) {
    std::vector<AddedToken> listed;
    std::size_t i = 0;
    for (const Json token : to_array(*value, context, "added_tokens")) {
      listed.push_back(read_added_token(token, context, fmt::format("added_tokens[{}]", i++)));
    }
    resolve_added_tokens(std::move(listed), context, spec);
  }
  f.note_unused();
}

}  // namespace toktier::model
