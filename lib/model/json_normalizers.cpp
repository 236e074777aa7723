// The "normalizer" part of tokenizer.json.
//
// The reference (tokenizers 0.23.3) first tries the tag "type"; a tag it does not know makes it try
// every kind by its fields alone, in a fixed order. That is why {"type":"BertNormalizer",...} loads
// although its tag is "Bert".

#include "model/base64.hpp"
#include "model/loaders.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>

namespace toktier::model {
namespace {

using Reader = void (*)(Fields&, std::vector<Normalizer>&);

void read_any(Json value, LoadContext& context, const std::string& field,
              std::vector<Normalizer>& out);

template <class Step>
void read_plain(Fields&, std::vector<Normalizer>& out) {
  out.emplace_back(Step{});
}

void read_bert(Fields& f, std::vector<Normalizer>& out) {
  NormBert step;
  step.clean_text = f.need_bool("clean_text");
  step.handle_chinese_chars = f.need_bool("handle_chinese_chars");
  step.strip_accents = f.maybe_bool("strip_accents");
  step.lowercase = f.need_bool("lowercase");
  out.emplace_back(step);
}

void read_strip(Fields& f, std::vector<Normalizer>& out) {
  NormStrip step;
  step.left = f.need_bool("strip_left");
  step.right = f.need_bool("strip_right");
  out.emplace_back(step);
}

void read_sequence(Fields& f, std::vector<Normalizer>& out) {
  const std::string field = f.path("normalizers");
  std::size_t i = 0;
  // A sequence runs its members one after the other on the same text, so nesting adds nothing to a
  // flat list.
  for (const Json member : to_array(f.need("normalizers"), f.context(), field)) {
    read_any(member, f.context(), fmt::format("{}[{}]", field, i++), out);
  }
}

void read_precompiled(Fields& f, std::vector<Normalizer>& out) {
  const std::string text = f.need_string("precompiled_charsmap");
  NormPrecompiled step;
  if (!decode_base64(text, step.charsmap)) {
    fail_input(f.context(), f.path("precompiled_charsmap"), "not valid base64");
  }
  out.emplace_back(std::move(step));
}

void read_replace(Fields& f, std::vector<Normalizer>& out) {
  NormReplace step;
  step.pattern = read_pattern(f.need("pattern"), f.context(), f.path("pattern"));
  step.content = f.need_string("content");
  out.emplace_back(std::move(step));
}

void read_prepend(Fields& f, std::vector<Normalizer>& out) {
  out.emplace_back(NormPrepend{f.need_string("prepend")});
}

void read_append(Fields& f, std::vector<Normalizer>& out) {
  out.emplace_back(NormAppend{f.need_string("append")});
}

struct Kind {
  std::string_view tag;
  Reader read;
};
constexpr std::array<Kind, 14> kTagged = {{{"Bert", read_bert},
                                           {"Strip", read_strip},
                                           {"StripAccents", read_plain<NormStripAccents>},
                                           {"NFC", read_plain<NormNfc>},
                                           {"NFD", read_plain<NormNfd>},
                                           {"NFKC", read_plain<NormNfkc>},
                                           {"NFKD", read_plain<NormNfkd>},
                                           {"Sequence", read_sequence},
                                           {"Lowercase", read_plain<NormLowercase>},
                                           {"Nmt", read_plain<NormNmt>},
                                           {"Precompiled", read_precompiled},
                                           {"Replace", read_replace},
                                           {"Prepend", read_prepend},
                                           {"ByteLevel", read_plain<NormByteLevel>}}};
// Kinds that can be known by their fields alone, in the reference's order.
constexpr std::array<Reader, 6> kUntagged = {read_bert,        read_strip,   read_sequence,
                                             read_precompiled, read_replace, read_prepend};

void read_any(Json value, LoadContext& context, const std::string& field,
              std::vector<Normalizer>& out) {
  Fields fields(value, context, field);
  std::string_view tag;
  const std::optional<Json> type = fields.find("type");
  if (type && type->get(tag) == simdjson::SUCCESS) {
    for (const Kind& kind : kTagged) {
      if (kind.tag == tag) {
        kind.read(fields, out);
        fields.note_unused();
        return;
      }
    }
  }
  for (const Reader read : kUntagged) {
    const std::size_t size = out.size();
    const std::size_t notes = context.notes.size();
    Fields again(value, context, field);
    again.ignore("type");
    try {
      read(again, out);
      again.note_unused();
      return;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::input) throw;
      out.resize(size);
      context.notes.resize(notes);
    }
  }
  if (tag == "Append" && fields.find("append")) {
    read_append(fields, out);
    fields.note_unused();
    context.notes.push_back(
        field + ": the normalizer Append is in no checked version of the reference (tokenizers " +
        "0.23.3 refuses the file); it adds its text at the end, as Prepend does at the beginning");
    return;
  }
  fail_unsupported(context, field + ".type",
                   fmt::format("normalizer {} is not known to the reference (tokenizers 0.23.3)",
                               type ? describe(*type) : "without a type"));
}

}  // namespace

StringOrRegex read_pattern(Json value, const LoadContext& context, const std::string& field) {
  simdjson::dom::object object;
  if (value.get(object) == simdjson::SUCCESS && object.size() == 1) {
    for (const auto [key, text] : object) {
      if (key == "String" || key == "Regex") {
        const std::string place = fmt::format("{}.{}", field, key);
        return {key == "Regex", std::string(to_string(text, context, place)), place};
      }
    }
  }
  fail_input(
      context, field,
      fmt::format("{} found, {{\"String\": ...}} or {{\"Regex\": ...}} expected", describe(value)));
}

std::vector<Normalizer> read_normalizers(Json value, LoadContext& context) {
  std::vector<Normalizer> out;
  if (!value.is_null()) read_any(value, context, "normalizer", out);
  return out;
}

}  // namespace toktier::model
