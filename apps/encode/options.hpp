#pragma once
// The command line of toktier-encode.

#include "apps/common/program.hpp"
#include "io/inputs.hpp"
#include "toktier/tokenizer.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace toktier::encode_app {

/// What a record carries besides the document's id.
struct Emit {
  bool ids = false, count = false, spans = false, pieces = false, tokens = false, hash = false;
};

struct Options {
  std::string command;  // "" (encode), "inspect", "decode", "check-ids", "session"
  std::string model;
  std::string encoding;  // --encoding
  std::string lowercase = "auto";
  std::string text;                                                // --text
  bool has_text = false, has_emit = false, has_span_unit = false;  // given, not the default
  std::string emit = "ids";
  std::string span_unit = "byte";
  std::string special = "default";
  std::string invalid = "error";
  std::string input_format = "auto";
  bool add_special = false, no_truncation = false, skip_special = false, stats = false;
  bool by_neighbours = false;  // check-ids
  bool fail_fast = false;
  std::string binary;  // --bin
  std::size_t cache_bytes = Tokenizer::kDefaultCacheBytes;
  io::InputOptions inputs;
  std::string action, store, name;  // session
  std::uint64_t budget = std::uint64_t{1} << 30;
  bool has_session_text = false;
};

void define_options(CLI::App& app, Options& options);

/// Error{usage} for values and combinations that encoding does not know.
void check_encode_options(const Options& options);
/// The same for `session`.
void check_session_options(const Options& options);
/// The same for a form of output that is not made: records come one a line.
void check_format(cli::Format format);

/// Checks and translates the names; throws Error{usage}.
Emit parse_emit(const std::string& list);
LoadOptions load_options(const Options& options);
EncodeOptions encode_options(const Options& options, const Emit& emit);
io::InputOptions input_options(const Options& options);

}  // namespace toktier::encode_app
