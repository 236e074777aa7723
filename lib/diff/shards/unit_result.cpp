#include "diff/shards/unit_result.hpp"

#include "diff/shards/json_object.hpp"
#include "model/base64.hpp"
#include "report/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toktier::diff::shards {
namespace {

using report::JsonWriter;

constexpr const char* kSchema = "toktier.unit/1";

void write_identity(JsonWriter& json, const char* key, const EngineIdentity& identity) {
  json.key(key).begin_object().field("row", identity.row).field("name", identity.name);
  json.field("version", identity.version).field("unicode", identity.unicode);
  json.field("fingerprint", identity.fingerprint).field("kind", identity.kind).end_object();
}

EngineIdentity read_identity(const JsonObject& object) {
  EngineIdentity identity;
  identity.row = object.text("row");
  identity.name = object.text("name");
  identity.version = object.text("version");
  identity.unicode = object.text("unicode");
  identity.fingerprint = object.text("fingerprint");
  identity.kind = object.text("kind");
  return identity;
}

void write_counts(JsonWriter& json, const char* key,
                  const std::map<std::string, std::uint64_t>& counts) {
  json.key(key).begin_object();
  for (const auto& [name, count] : counts) json.field(name, count);
  json.end_object();
}

/// All that must be the same whoever runs the unit, and whenever.
void write_findings(JsonWriter& json, const UnitResult& r) {
  const Verdict& v = r.verdict;
  json.field("unit", r.unit).field("plan", r.plan).field("status", r.status);
  json.field("reason", r.reason).field("described", r.described);
  write_identity(json, "engine", r.engine);
  write_identity(json, "reference", r.reference);
  json.field("documents", v.documents).field("bytes", v.bytes).field("code_points", v.code_points);
  json.field("ids", v.ids).field("end_id", v.end_id);
  write_counts(json, "checked", v.checked);
  write_counts(json, "skipped", v.skipped);
  write_counts(json, "differences", v.differences);
  json.field("different_documents", v.different_documents).field("both_refused", v.both_refused);
  json.field("failed_inputs", v.failed_inputs);
  json.field("answers", fmt::format("{:016x}", v.answer_digest));
  json.field("seen", bits_text(v.ids_seen));
}

std::vector<bool> read_bits(const JsonObject& object, const char* name) {
  std::string bytes;
  if (!model::decode_base64(object.text(name), bytes))
    object.fail(fmt::format("field {} is no base64", name));
  std::vector<bool> bits(bytes.size() * 8);
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] = (static_cast<unsigned char>(bytes[i / 8]) >> (i % 8)) & 1U;
  return bits;
}

}  // namespace

std::string bits_text(const std::vector<bool>& bits) {
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) bytes[i / 8] = static_cast<char>(bytes[i / 8] | (1 << (i % 8)));
  return report::base64(bytes);
}

bool UnitResult::same_findings(const UnitResult& other) const {
  const auto findings = [](const UnitResult& result) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    write_findings(json, result);
    json.end_object();
    return text;
  };
  return findings(*this) == findings(other);
}

std::string unit_line(const UnitResult& r) {
  const Verdict& v = r.verdict;
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("schema", kSchema);
  write_findings(json, r);
  json.key("times").begin_object().field("seconds", v.wall_seconds);
  json.field("ours_seconds", v.ours_seconds).field("reference_wait_seconds", v.theirs_seconds);
  json.field("store_hits", v.store_hits).field("store_misses", v.store_misses);
  json.field("store_damaged", v.store_damaged).field("restarts", v.restarts);
  json.end_object().end_object();
  return line;
}

UnitResult parse_unit(const std::string& line, const std::string& where) {
  const JsonText text(line, where);
  const JsonObject& o = text.root();
  if (o.text("schema") != kSchema) o.fail("not the record of a unit");
  UnitResult r;
  r.unit = o.number("unit");
  r.plan = o.text("plan");
  r.status = o.text("status");
  r.reason = o.text("reason");
  r.described = o.number("described");
  r.engine = read_identity(o.object("engine"));
  r.reference = read_identity(o.object("reference"));
  Verdict& v = r.verdict;
  v.documents = o.number("documents");
  v.bytes = o.number("bytes");
  v.code_points = o.number("code_points");
  v.ids = o.number("ids");
  v.end_id = o.number("end_id");
  v.checked = o.counts("checked");
  v.skipped = o.counts("skipped");
  v.differences = o.counts("differences");
  v.different_documents = o.number("different_documents");
  v.both_refused = o.number("both_refused");
  v.failed_inputs = o.number("failed_inputs");
  const std::string answers = o.text("answers");
  if (answers.size() != 16 || answers.find_first_not_of("0123456789abcdef") != std::string::npos)
    o.fail("field answers is no digest");
  v.answer_digest = std::stoull(answers, nullptr, 16);
  v.ids_seen = read_bits(o, "seen");
  v.distinct_ids =
      static_cast<std::uint64_t>(std::count(v.ids_seen.begin(), v.ids_seen.end(), true));
  const JsonObject times = o.object("times");
  v.wall_seconds = times.real("seconds");
  v.ours_seconds = times.real("ours_seconds");
  v.theirs_seconds = times.real("reference_wait_seconds");
  v.store_hits = times.number("store_hits");
  v.store_misses = times.number("store_misses");
  v.store_damaged = times.number("store_damaged");
  v.restarts = times.number("restarts");
  return r;
}

}  // namespace toktier::diff::shards
