// The "pre_tokenizer" part of tokenizer.json. Every kind needs its tag: unlike normalizers, no kind
// of the reference (tokenizers 0.23.3) can be known by its fields alone.

#include "model/loaders.hpp"
#include "model/metaspace_fields.hpp"

#include <fmt/format.h>

#include <array>

namespace toktier::model {
namespace {

using Reader = void (*)(Fields&, std::vector<PreTokenizer>&);

void read_any(Json value, LoadContext& context, const std::string& field,
              std::vector<PreTokenizer>& out);

SplitBehavior to_behavior(Json value, const LoadContext& context, const std::string& field) {
  struct Row {
    std::string_view name;
    SplitBehavior behavior;
  };
  constexpr std::array<Row, 5> kRows = {
      {{"Removed", SplitBehavior::removed},
       {"Isolated", SplitBehavior::isolated},
       {"MergedWithPrevious", SplitBehavior::merged_with_previous},
       {"MergedWithNext", SplitBehavior::merged_with_next},
       {"Contiguous", SplitBehavior::contiguous}}};
  const std::string_view name = to_string(value, context, field);
  for (const Row& row : kRows) {
    if (row.name == name) return row.behavior;
  }
  fail_input(context, field,
             fmt::format("\"{}\" found, one of Removed, Isolated, MergedWithPrevious, "
                         "MergedWithNext, Contiguous expected",
                         name));
}

template <class Step>
void read_plain(Fields&, std::vector<PreTokenizer>& out) {
  out.emplace_back(Step{});
}

void read_byte_level(Fields& f, std::vector<PreTokenizer>& out) {
  PreByteLevel step;
  step.add_prefix_space = f.need_bool("add_prefix_space");
  (void)f.need_bool("trim_offsets");  // required by the reference, used only by the post-processor
  step.use_regex = f.bool_or("use_regex", true);
  out.emplace_back(step);
}

void read_delimiter(Fields& f, std::vector<PreTokenizer>& out) {
  out.emplace_back(PreCharDelimiterSplit{f.need_char("delimiter")});
}

void refuse_delimiter_tag(Fields& f, std::vector<PreTokenizer>&) {
  fail_input(f.context(), f.path("type"),
             "the reference refuses the tag \"Delimiter\"; the tag it writes and reads is "
             "\"CharDelimiterSplit\"");
}

void read_metaspace(Fields& f, std::vector<PreTokenizer>& out) {
  const MetaspaceFields m = read_metaspace_fields(f);
  out.emplace_back(PreMetaspace{m.replacement, m.prepend_scheme, m.split});
}

void read_split(Fields& f, std::vector<PreTokenizer>& out) {
  PreSplit step;
  step.pattern = read_pattern(f.need("pattern"), f.context(), f.path("pattern"));
  step.behavior = to_behavior(f.need("behavior"), f.context(), f.path("behavior"));
  step.invert = f.need_bool("invert");
  out.emplace_back(std::move(step));
}

void read_punctuation(Fields& f, std::vector<PreTokenizer>& out) {
  PrePunctuation step;
  if (const auto value = f.find("behavior")) {
    step.behavior = to_behavior(*value, f.context(), f.path("behavior"));
  }
  out.emplace_back(step);
}

void read_digits(Fields& f, std::vector<PreTokenizer>& out) {
  out.emplace_back(PreDigits{f.need_bool("individual_digits")});
}

void read_fixed_length(Fields& f, std::vector<PreTokenizer>& out) {
  PreFixedLength step;
  if (f.find("length")) step.length = f.need_size("length");
  if (step.length == 0) fail_input(f.context(), f.path("length"), "0 makes the reference panic");
  out.emplace_back(step);
}

void read_sequence(Fields& f, std::vector<PreTokenizer>& out) {
  const std::string field = f.path("pretokenizers");
  std::size_t i = 0;
  // Members run one after the other on the same list of pieces, so nesting adds nothing to a flat
  // list.
  for (const Json member : to_array(f.need("pretokenizers"), f.context(), field)) {
    read_any(member, f.context(), fmt::format("{}[{}]", field, i++), out);
  }
}

struct Kind {
  std::string_view tag;
  Reader read;
};
constexpr std::array<Kind, 13> kKinds = {{{"BertPreTokenizer", read_plain<PreBert>},
                                          {"ByteLevel", read_byte_level},
                                          {"CharDelimiterSplit", read_delimiter},
                                          {"Delimiter", refuse_delimiter_tag},
                                          {"Metaspace", read_metaspace},
                                          {"Whitespace", read_plain<PreWhitespace>},
                                          {"Sequence", read_sequence},
                                          {"Split", read_split},
                                          {"Punctuation", read_punctuation},
                                          {"WhitespaceSplit", read_plain<PreWhitespaceSplit>},
                                          {"Digits", read_digits},
                                          {"UnicodeScripts", read_plain<PreUnicodeScripts>},
                                          {"FixedLength", read_fixed_length}}};

void read_any(Json value, LoadContext& context, const std::string& field,
              std::vector<PreTokenizer>& out) {
  Fields fields(value, context, field);
  std::string_view tag;
  const std::optional<Json> type = fields.find("type");
  if (type && type->get(tag) == simdjson::SUCCESS) {
    for (const Kind& kind : kKinds) {
      if (kind.tag == tag) {
        kind.read(fields, out);
        fields.note_unused();
        return;
      }
    }
  }
  fail_unsupported(context, field + ".type",
                   fmt::format("pre-tokenizer {} is not known to the reference (tokenizers 0.23.3)",
                               type ? describe(*type) : "without a type"));
}

}  // namespace

MetaspaceFields read_metaspace_fields(Fields& f) {
  MetaspaceFields out;
  (void)f.need_char("replacement");
  out.replacement = f.need_string("replacement");
  const std::optional<bool> add_prefix_space = f.maybe_bool("add_prefix_space");
  if (const auto value = f.find("prepend_scheme")) {
    const std::string field = f.path("prepend_scheme");
    const std::string_view name = to_string(*value, f.context(), field);
    if (name == "first") {
      out.prepend_scheme = PrependScheme::first;
    } else if (name == "never") {
      out.prepend_scheme = PrependScheme::never;
    } else if (name != "always") {
      fail_input(f.context(), field,
                 fmt::format("\"{}\" found, first, never or always expected", name));
    }
  }
  // The reference refuses the old "add_prefix_space": false unless the new field says the same.
  if (add_prefix_space == false && out.prepend_scheme != PrependScheme::never) {
    fail_input(f.context(), f.path("add_prefix_space"),
               "false contradicts prepend_scheme, which must then be \"never\"");
  }
  out.split = f.maybe_bool("split").value_or(true);
  (void)f.maybe_string("str_rep");
  return out;
}

std::vector<PreTokenizer> read_pre_tokenizers(Json value, LoadContext& context) {
  std::vector<PreTokenizer> out;
  if (!value.is_null()) read_any(value, context, "pre_tokenizer", out);
  return out;
}

}  // namespace toktier::model
