// The "decoder" part of tokenizer.json. Tags first, then known by fields alone, as in the reference
// (tokenizers 0.23.3).

#include "model/loaders.hpp"
#include "model/metaspace_fields.hpp"

#include <fmt/format.h>

#include <array>

namespace toktier::model {
namespace {

using Reader = void (*)(Fields&, std::vector<Decoder>&);

void read_any(Json value, LoadContext& context, const std::string& field,
              std::vector<Decoder>& out);

template <class Step>
void read_plain(Fields&, std::vector<Decoder>& out) {
  out.emplace_back(Step{});
}

void read_bpe(Fields& f, std::vector<Decoder>& out) {
  out.emplace_back(DecBpe{f.need_string("suffix")});
}

void read_byte_level(Fields& f, std::vector<Decoder>& out) {
  // Required by the reference although its decoder uses none of them.
  (void)f.need_bool("add_prefix_space");
  (void)f.need_bool("trim_offsets");
  (void)f.bool_or("use_regex", true);
  out.emplace_back(DecByteLevel{});
}

void read_word_piece(Fields& f, std::vector<Decoder>& out) {
  DecWordPiece step;
  step.prefix = f.need_string("prefix");
  step.cleanup = f.need_bool("cleanup");
  out.emplace_back(std::move(step));
}

void read_metaspace(Fields& f, std::vector<Decoder>& out) {
  const MetaspaceFields m = read_metaspace_fields(f);
  out.emplace_back(DecMetaspace{m.replacement, m.prepend_scheme});
}

void read_ctc(Fields& f, std::vector<Decoder>& out) {
  DecCtc step;
  step.pad_token = f.need_string("pad_token");
  step.word_delimiter_token = f.need_string("word_delimiter_token");
  step.cleanup = f.need_bool("cleanup");
  out.emplace_back(std::move(step));
}

void read_replace(Fields& f, std::vector<Decoder>& out) {
  DecReplace step;
  step.pattern = read_pattern(f.need("pattern"), f.context(), f.path("pattern"));
  step.content = f.need_string("content");
  out.emplace_back(std::move(step));
}

void read_strip(Fields& f, std::vector<Decoder>& out) {
  DecStrip step;
  step.content = f.need_char("content");
  step.start = f.need_size("start");
  step.stop = f.need_size("stop");
  out.emplace_back(step);
}

void read_sequence(Fields& f, std::vector<Decoder>& out) {
  const std::string field = f.path("decoders");
  std::size_t i = 0;
  const std::size_t before = out.size();
  for (const Json member : to_array(f.need("decoders"), f.context(), field)) {
    read_any(member, f.context(), fmt::format("{}[{}]", field, i++), out);
  }
  // A decoder that does nothing still differs from no decoder: token strings are then joined
  // without blanks.
  if (out.size() == before) out.emplace_back(DecFuse{});
}

struct Kind {
  std::string_view tag;
  Reader read;
};
constexpr std::array<Kind, 10> kTagged = {{{"BPEDecoder", read_bpe},
                                           {"ByteLevel", read_byte_level},
                                           {"WordPiece", read_word_piece},
                                           {"Metaspace", read_metaspace},
                                           {"CTC", read_ctc},
                                           {"Sequence", read_sequence},
                                           {"Replace", read_replace},
                                           {"Fuse", read_plain<DecFuse>},
                                           {"Strip", read_strip},
                                           {"ByteFallback", read_plain<DecByteFallback>}}};
constexpr std::array<Reader, 5> kUntagged = {read_bpe, read_word_piece, read_ctc, read_replace,
                                             read_strip};

void read_any(Json value, LoadContext& context, const std::string& field,
              std::vector<Decoder>& out) {
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
  fail_unsupported(context, field + ".type",
                   fmt::format("decoder {} is not known to the reference (tokenizers 0.23.3)",
                               type ? describe(*type) : "without a type"));
}

}  // namespace

std::vector<Decoder> read_decoders(Json value, LoadContext& context) {
  std::vector<Decoder> out;
  if (!value.is_null()) read_any(value, context, "decoder", out);
  return out;
}

}  // namespace toktier::model
