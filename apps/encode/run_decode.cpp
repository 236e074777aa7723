#include "apps/encode/id_records.hpp"
#include "apps/encode/run.hpp"
#include "report/json_writer.hpp"

namespace toktier::encode_app {

cli::ExitCode run_decode(const Options& options, const cli::CommonOptions& common) {
  check_format(common.format);
  const Tokenizer tokenizer = Tokenizer::load(options.model, load_options(options));
  return for_each_row(options, common, "decoded", [&](const IdRecord& record) {
    const std::string text = tokenizer.decode(record.ids, options.skip_special);
    if (common.format == cli::Format::table) return text + "\n";
    std::string out;
    report::JsonWriter json(out);
    json.begin_object();
    if (!record.id.empty()) json.key("id").raw(record.id);
    json.field("text", std::string_view(text)).end_object();
    return out + '\n';
  });
}

}  // namespace toktier::encode_app
