#include "apps/common/program.hpp"
#include "apps/diffcheck/campaign_report.hpp"
#include "diff/check_table.hpp"
#include "report/escape.hpp"
#include "report/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace toktier::diffcheck {
namespace {

using diff::shards::CampaignSummary;
using diff::shards::DivergenceRecord;
using report::JsonWriter;

void write_text(JsonWriter& json, const char* key, const std::string& text) {
  json.key(key).begin_object().field("text", text).end_object();
}

/// A URI reference: what a path may hold and a URI may not is written as %XX.
std::string uri(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) ||
                       std::string_view("-._~/!$&'()*+,;=@").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return path.starts_with('/') ? "file://" + out : out;
}

std::string rule_text(const std::string& cls) {
  const std::size_t slash = cls.find('/');
  const std::string check = cls.substr(0, slash);
  for (const diff::CheckRow& row : diff::check_table())
    if (row.name == check)
      return fmt::format("Not so: {}. The two sides part at the stage: {}.", row.what,
                         slash == std::string::npos ? "unknown" : cls.substr(slash + 1));
  return cls;
}

void write_location(JsonWriter& json, const DivergenceRecord& one) {
  json.begin_object();
  if (one.record_byte) {
    json.key("physicalLocation").begin_object();
    json.key("artifactLocation").begin_object().field("uri", uri(one.origin)).end_object();
    // The byte in the file's content; of records that hold the text escaped, the line says where.
    if (one.file_byte || one.line) {
      json.key("region").begin_object();
      if (one.line) json.field("startLine", *one.line);
      if (one.file_byte) json.field("byteOffset", *one.file_byte).field("byteLength", 1);
      json.end_object();
    }
    json.end_object();
  }
  json.key("logicalLocations").begin_array().begin_object();
  json.field("fullyQualifiedName", one.origin + " " + one.document).field("kind", "object");
  json.end_object().end_array().end_object();
}

void write_result(JsonWriter& json, const DivergenceRecord& one, std::size_t rule) {
  json.begin_object().field("ruleId", one.cls).field("ruleIndex", rule).field("level", "error");
  write_text(
      json, "message",
      fmt::format("{}: {} and {} part on \"{}\": {} gives {}, {} gives {}. {}", one.model,
                  one.engine_label, one.reference_label, report::escape_preview(one.shown(), 200),
                  one.engine, one.actual, one.reference, one.expected, one.repro));
  json.key("locations").begin_array();
  write_location(json, one);
  json.end_array().key("partialFingerprints").begin_object().field("divergence/v1", one.id);
  json.end_object().field("occurrenceCount", one.occurrences).end_object();
}

}  // namespace

std::string report_sarif(const CampaignSummary& summary) {
  std::set<std::string> classes;
  for (const DivergenceRecord& one : summary.divergences) classes.insert(one.cls);
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.field("version", "2.1.0").key("runs").begin_array().begin_object();
  json.key("tool").begin_object().key("driver").begin_object();
  json.field("name", "toktier-diffcheck").field("version", cli::version());
  json.key("rules").begin_array();
  for (const std::string& cls : classes) {
    json.begin_object().field("id", cls);
    write_text(json, "shortDescription", rule_text(cls));
    json.end_object();
  }
  json.end_array().end_object().end_object();
  json.key("invocations").begin_array().begin_object();
  json.field("executionSuccessful", summary.missing_units == 0).end_object().end_array();
  json.key("results").begin_array();
  for (const DivergenceRecord& one : summary.divergences) {
    const auto rule = std::distance(classes.begin(), classes.find(one.cls));
    write_result(json, one, static_cast<std::size_t>(rule));
  }
  json.end_array().end_object().end_array().end_object();
  return text + "\n";
}

}  // namespace toktier::diffcheck
