#include "diff/shards/campaign_summary.hpp"

#include "diff/engine.hpp"
#include "diff/shards/json_object.hpp"
#include "io/read_all.hpp"
#include "toktier/error.hpp"

#include <filesystem>

namespace toktier::diff::shards {
namespace {

namespace fs = std::filesystem;

SummarySums read_sums(const JsonObject& o) {
  SummarySums s;
  s.documents = o.number("documents");
  s.bytes = o.number("bytes");
  s.code_points = o.number("code_points");
  s.ids = o.number("ids");
  s.checked = o.counts("checked");
  s.skipped = o.counts("skipped");
  s.differences = o.counts("differences");
  s.different_documents = o.number("different_documents");
  s.both_refused = o.number("both_refused");
  s.failed_inputs = o.number("failed_inputs");
  if (o.has("upper_bound_95")) s.upper_bound = o.real("upper_bound_95");
  return s;
}

std::string label(const JsonObject& o) {
  EngineIdentity identity;
  identity.row = o.text("row");
  identity.name = o.text("name");
  identity.version = o.text("version");
  return identity.label();
}

SummaryRow read_row(const JsonObject& o) {
  SummaryRow row;
  row.model = o.text("model");
  row.reference = o.text("reference");
  row.source = o.text("source");
  row.status = o.text("status");
  row.reason = o.text("reason");
  row.units = o.number("units");
  row.done = o.number("done");
  row.engine_label = label(o.object("engine"));
  row.reference_label = label(o.object("with"));
  row.sums = read_sums(o);
  row.distinct_ids = o.number("distinct_ids");
  row.end_id = o.number("end_id");
  return row;
}

}  // namespace

CampaignSummary read_summary(const std::string& run) {
  std::string folder = run;
  if (fs::exists(run + "/merged/summary.json")) folder += "/merged";
  const std::string path = folder + "/summary.json";
  if (!fs::exists(path))
    throw Error(ErrorCode::input, "no summary.json here: toktier-diffcheck merge writes it", run);
  const JsonText text(io::read_all(path), path);
  const JsonObject& o = text.root();
  if (o.text("schema") != "toktier.campaign/1") o.fail("not the summary of a campaign");
  CampaignSummary s;
  s.plan = o.text("plan");
  s.engine = o.text("engine");
  s.checks = o.text("checks");
  s.status = o.text("status");
  s.seed = o.number("seed");
  s.exit_code = o.number("exit_code");
  s.units = o.number("units");
  s.sums = read_sums(o);
  s.missing_units = o.size("missing_units");
  s.upper_bounds = o.reals("upper_bounds_95");
  for (const JsonObject& row : o.objects("rows")) s.rows.push_back(read_row(row));
  const JsonObject conduct = o.object("conduct");
  for (const JsonObject& shard : conduct.objects("shards"))
    s.shards.push_back(
        {shard.text("name"), shard.text("status"), shard.text("host"), shard.texts("problems")});
  s.unit_seconds = conduct.real("unit_seconds");
  if (o.number("distinct_divergences") > 0)
    s.divergences = read_divergences(folder + "/divergences.jsonl");
  return s;
}

}  // namespace toktier::diff::shards
