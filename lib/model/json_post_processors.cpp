// The "post_processor" part of tokenizer.json. The reference (tokenizers 0.23.3) knows these by
// their fields alone, in a fixed order; the tag matters only for ByteLevel and Sequence.

#include "model/loaders.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace toktier::model {
namespace {

using Reader = void (*)(Fields&, std::vector<PostProcessor>&);

void read_any(Json value, LoadContext& context, const std::string& field,
              std::vector<PostProcessor>& out);

void need_tag(Fields& f, std::string_view tag) {
  if (f.need_string("type") != tag) {
    fail_input(f.context(), f.path("type"), fmt::format("\"{}\" expected", tag));
  }
}

// ["[SEP]", 102]; the reference trusts the id.
TokenId read_token_pair(Fields& f, std::string_view name) {
  const std::string field = f.path(name);
  const simdjson::dom::array pair = to_array(f.need(name), f.context(), field);
  if (pair.size() != 2) fail_input(f.context(), field, "a token and its id expected");
  (void)to_string(pair.at(0).value(), f.context(), field + "[0]");
  return to_u32(pair.at(1).value(), f.context(), field + "[1]");
}

void read_roberta(Fields& f, std::vector<PostProcessor>& out) {
  PostRoberta step{};
  step.sep = read_token_pair(f, "sep");
  step.cls = read_token_pair(f, "cls");
  step.trim_offsets = f.need_bool("trim_offsets");
  step.add_prefix_space = f.need_bool("add_prefix_space");
  out.emplace_back(step);
}

void read_bert(Fields& f, std::vector<PostProcessor>& out) {
  PostBert step{};
  step.sep = read_token_pair(f, "sep");
  step.cls = read_token_pair(f, "cls");
  out.emplace_back(step);
}

void read_byte_level(Fields& f, std::vector<PostProcessor>& out) {
  need_tag(f, "ByteLevel");
  PostByteLevel step;
  step.add_prefix_space = f.need_bool("add_prefix_space");
  step.trim_offsets = f.need_bool("trim_offsets");
  (void)f.bool_or("use_regex", true);
  out.emplace_back(step);
}

using TemplateTokens = std::map<std::string, std::vector<TokenId>, std::less<>>;

TemplateTokens read_template_tokens(Fields& f) {
  TemplateTokens out;
  Fields tokens(f.need("special_tokens"), f.context(), f.path("special_tokens"));
  for (const auto [key, value] : tokens.object()) {
    Fields token(value, f.context(), tokens.path(key));
    (void)token.need_string("id");
    std::vector<TokenId> ids;
    const std::string field = token.path("ids");
    for (const Json id : to_array(token.need("ids"), f.context(), field)) {
      ids.push_back(to_u32(id, f.context(), field));
    }
    const std::string names = token.path("tokens");
    std::size_t count = 0;
    for (const Json name : to_array(token.need("tokens"), f.context(), names)) {
      (void)to_string(name, f.context(), names);
      ++count;
    }
    if (count != ids.size()) fail_input(f.context(), names, "one token for each id expected");
    out[std::string(key)] = std::move(ids);
  }
  return out;
}

std::vector<TemplatePiece> read_template(Fields& f, std::string_view name,
                                         const TemplateTokens& tokens, bool pair) {
  std::vector<TemplatePiece> out;
  const std::string field = f.path(name);
  std::size_t i = 0;
  for (const Json member : to_array(f.need(name), f.context(), field)) {
    const std::string place = fmt::format("{}[{}]", field, i++);
    const Fields outer(member, f.context(), place);
    if (outer.object().size() != 1) fail_input(f.context(), place, "exactly one field expected");
    for (const auto [kind, value] : outer.object()) {
      Fields inner(value, f.context(), outer.path(kind));
      TemplatePiece piece;
      const std::string id = inner.need_string("id");
      piece.type_id = inner.need_u32("type_id");
      if (kind == "SpecialToken") {
        const auto at = tokens.find(id);
        if (at == tokens.end()) {
          fail_input(
              f.context(), inner.path("id"),
              fmt::format("\"{}\" is not in special_tokens; the reference panics on it", id));
        }
        piece.kind = TemplatePiece::Kind::tokens;
        piece.ids = at->second;
      } else if (kind == "Sequence") {
        if (id != "A" && id != "B") fail_input(f.context(), inner.path("id"), "A or B expected");
        if (id == "B" && !pair) {
          fail_input(f.context(), inner.path("id"),
                     "sequence B in the template for one sequence; the reference panics on it");
        }
        piece.kind = id == "A" ? TemplatePiece::Kind::sequence_a : TemplatePiece::Kind::sequence_b;
      } else {
        fail_input(f.context(), place, "Sequence or SpecialToken expected");
      }
      out.push_back(std::move(piece));
    }
  }
  return out;
}

void read_template_processing(Fields& f, std::vector<PostProcessor>& out) {
  const TemplateTokens tokens = read_template_tokens(f);
  PostTemplate step;
  step.single = read_template(f, "single", tokens, false);
  (void)read_template(f, "pair", tokens, true);  // must be well-formed; pairs are not encoded here
  out.emplace_back(std::move(step));
}

void read_sequence(Fields& f, std::vector<PostProcessor>& out) {
  need_tag(f, "Sequence");
  const std::string field = f.path("processors");
  std::size_t i = 0;
  for (const Json member : to_array(f.need("processors"), f.context(), field)) {
    read_any(member, f.context(), fmt::format("{}[{}]", field, i++), out);
  }
}

constexpr std::array<Reader, 5> kInOrder = {read_roberta, read_bert, read_byte_level,
                                            read_template_processing, read_sequence};
// What a tag promises, to give the error of the kind the author meant.
struct Named {
  std::string_view tag;
  Reader read;
};
constexpr std::array<Named, 5> kNamed = {{{"RobertaProcessing", read_roberta},
                                          {"BertProcessing", read_bert},
                                          {"ByteLevel", read_byte_level},
                                          {"TemplateProcessing", read_template_processing},
                                          {"Sequence", read_sequence}}};

void read_any(Json value, LoadContext& context, const std::string& field,
              std::vector<PostProcessor>& out) {
  for (const Reader read : kInOrder) {
    const std::size_t size = out.size();
    const std::size_t notes = context.notes.size();
    Fields fields(value, context, field);
    fields.ignore("type");
    try {
      read(fields, out);
      fields.note_unused();
      return;
    } catch (const Error&) {
      out.resize(size);
      context.notes.resize(notes);
    }
  }
  Fields fields(value, context, field);
  const std::optional<Json> type = fields.find("type");
  std::string_view tag;
  if (type && type->get(tag) == simdjson::SUCCESS) {
    for (const Named& kind : kNamed) {
      if (kind.tag == tag) kind.read(fields, out);  // throws again, with its own message
    }
  }
  fail_unsupported(
      context, field,
      fmt::format("post-processor {} is not known to the reference (tokenizers 0.23.3)",
                  type ? describe(*type) : "without a type"));
}

}  // namespace

std::vector<PostProcessor> read_post_processors(Json value, LoadContext& context) {
  std::vector<PostProcessor> out;
  if (!value.is_null()) read_any(value, context, "post_processor", out);
  return out;
}

}  // namespace toktier::model
