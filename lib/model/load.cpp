// The public entry: find the file, see what it is, call its loader, fingerprint it.

#include "base/beside.hpp"
#include "base/sha256.hpp"
#include "io/read_all.hpp"
#include "model/content_kind.hpp"
#include "model/find_file.hpp"
#include "model/loaders.hpp"

#include <fmt/format.h>

#include <new>

namespace toktier::model {
namespace {

// Options that were given and that this kind listens to change ids as bytes of the file do.
void add_options(const LoadOptions& options, FileKind kind, base::Sha256& sha) {
  if (kind == FileKind::wordpiece_vocab && options.lowercase) {
    sha.update(*options.lowercase ? "\nlowercase=true" : "\nlowercase=false");
  }
  if (kind == FileKind::tiktoken && !options.encoding.empty()) {
    sha.update("\nencoding=" + options.encoding);
  }
}

// `bytes` are unpacked and padded (see kReadPadding).
TokenizerSpec load_unpacked(std::string_view bytes, const std::string& shown_path,
                            std::string_view side, const LoadOptions& options) {
  LoadContext context{shown_path, {}, bytes};
  TokenizerSpec spec;
  base::Sha256 sha;
  base::Beside hashing([&] { sha.update(bytes); });
  const Content content = detect_content(bytes, context);
  if (content == Content::json) {
    simdjson::dom::parser parser;
    Json document;
    try {
      document = parse_json(parser, bytes, true, context);
    } catch (const Error&) {
      refuse_config_text(bytes, context);
      throw;
    }
    switch (detect_json(document, context)) {
      case JsonContent::tokenizer_json:
        load_tokenizer_json(document, context, spec);
        break;
      case JsonContent::tekken:
        load_tekken(document, context, spec);
        break;
      case JsonContent::packed_ranks:
        load_packed_ranks(document, context, spec);
        break;
    }
  } else if (content == Content::rank_file) {
    hashing.join();
    base::Sha256 alone = sha;
    load_rank_file(bytes, side, alone.hex(), options, context, spec);
    sha.update(side);
  } else if (content == Content::sentencepiece) {
    load_sentencepiece(bytes, context, spec);
  } else {
    load_wordpiece_vocab(bytes, options, context, spec);
  }
  hashing.join();
  add_options(options, spec.kind, sha);
  spec.path = shown_path;
  spec.fingerprint = sha.hex();
  spec.notes = std::move(context.notes);
  return spec;
}

template <class Loader>
TokenizerSpec guarded(const std::string& shown_path, const Loader& loader) {
  try {
    return loader();
  } catch (const simdjson::simdjson_error& error) {
    throw Error(ErrorCode::input, std::string("damaged JSON: ") + error.what(), shown_path);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::input, "not enough memory to load this file", shown_path);
  }
}

}  // namespace

TokenizerSpec load(const std::string& path_or_name, const LoadOptions& options) {
  const std::string file = find_tokenizer_file(path_or_name);
  return guarded(file, [&] {
    const std::string bytes = io::read_all(file);
    std::string side;
    // Only rank files have a side file; for others it would be read for nothing.
    if (bytes.empty() || bytes[0] != '{') {
      if (const auto path = find_side_file(file))
        side = io::read_all(*path, std::uint64_t{64} << 20);
    }
    return load_unpacked(bytes, file, side, options);
  });
}

TokenizerSpec load_bytes(std::string_view bytes, const std::string& shown_path,
                         std::string_view side, const LoadOptions& options) {
  return guarded(shown_path, [&] {
    return load_unpacked(io::unpack(bytes, shown_path), shown_path, side, options);
  });
}

}  // namespace toktier::model
