#include "apps/encode/run.hpp"
#include "apps/encode/sink.hpp"
#include "report/json_writer.hpp"

#include <fmt/core.h>

namespace toktier::encode_app {

cli::ExitCode run_inspect(const Options& options, const cli::CommonOptions& common) {
  const Tokenizer tokenizer = Tokenizer::load(options.model, load_options(options));
  const TokenizerInfo& info = tokenizer.info();
  std::vector<std::pair<std::string, std::string>> rows = {
      {"file", info.path},
      {"kind", info.kind},
      {"fingerprint", info.fingerprint},
      {"reference", info.reference},
      {"unicode", info.unicode},
      {"vocabulary", fmt::format("{} tokens", info.vocabulary)},
      {"pattern", info.pattern},
      {"engine", info.engine}};
  rows.insert(rows.end(), info.fields.begin(), info.fields.end());
  std::string out;
  if (common.format == cli::Format::table) {
    for (const auto& [name, value] : rows)
      if (!value.empty()) out += fmt::format("{:<15} {}\n", name, value);
  } else {
    report::JsonWriter json(out);
    json.begin_object().field("schema", "toktier.inspect/1");
    std::vector<std::string> notes;
    for (const auto& [name, value] : rows) {
      if (name == "note")
        notes.push_back(value);
      else
        json.field(name, std::string_view(value));
    }
    json.key("notes").begin_array();
    for (const std::string& note : notes) json.value(std::string_view(note));
    json.end_array().end_object();
    out += '\n';
  }
  Sink sink(common.output);
  sink.write(out);
  sink.commit();
  return cli::ExitCode::ok;
}

}  // namespace toktier::encode_app
