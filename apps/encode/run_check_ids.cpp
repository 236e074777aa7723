#include "apps/encode/id_records.hpp"
#include "apps/encode/run.hpp"
#include "report/json_writer.hpp"
#include "toktier/drift.hpp"

#include <fmt/core.h>

namespace toktier::encode_app {
namespace {

std::string list_of(const std::vector<TokenId>& ids) {
  std::string out;
  for (const TokenId id : ids) out += fmt::format("{}{}", out.empty() ? "" : " ", id);
  return out.empty() ? "nothing" : out;
}

std::string as_text(const IdRecord& record, const Drift& drift) {
  const std::string name = record.id.empty() ? std::string() : record.id + "  ";
  if (drift.canonical) return fmt::format("{}canonical  {} tokens\n", name, drift.tokens);
  return fmt::format("{}parts at token {} of {}, byte {}: given {}, expected {}\n", name,
                     drift.token, drift.tokens, drift.byte, list_of(drift.given),
                     list_of(drift.expected));
}

std::string as_record(const IdRecord& record, const Drift& drift) {
  std::string out;
  report::JsonWriter json(out);
  json.begin_object();
  if (!record.id.empty()) json.key("id").raw(record.id);
  json.field("canonical", drift.canonical);
  json.field("tokens", std::uint64_t{drift.tokens});
  if (!drift.canonical) {
    json.field("token", std::uint64_t{drift.token}).field("byte", std::uint64_t{drift.byte});
    json.key("given").begin_array();
    for (const TokenId id : drift.given) json.value(std::uint64_t{id});
    json.end_array().key("expected").begin_array();
    for (const TokenId id : drift.expected) json.value(std::uint64_t{id});
    json.end_array();
  }
  json.end_object();
  return out + '\n';
}

}  // namespace

cli::ExitCode run_check_ids(const Options& options, const cli::CommonOptions& common) {
  check_format(common.format);
  const Tokenizer tokenizer = Tokenizer::load(options.model, load_options(options));
  const EncodeOptions asked = encode_options(options, {});
  DriftOptions drift_options;
  drift_options.special = asked.special;
  drift_options.special_list = asked.special_list;
  drift_options.add_special = asked.add_special;
  drift_options.by_neighbours = options.by_neighbours;
  std::uint64_t rows = 0, parted = 0;
  const cli::ExitCode code = for_each_row(options, common, "checked", [&](const IdRecord& record) {
    const Drift drift = find_drift(tokenizer, record.ids, drift_options);
    ++rows;
    parted += drift.canonical ? 0 : 1;
    return common.format == cli::Format::table ? as_text(record, drift) : as_record(record, drift);
  });
  if (parted > 0) return cli::worse(code, cli::ExitCode::divergence);
  return rows == 0 ? cli::worse(code, cli::ExitCode::input) : code;
}

}  // namespace toktier::encode_app
