#include "diff/shards/divergence_record.hpp"

#include "diff/engine.hpp"
#include "diff/shards/json_object.hpp"
#include "io/read_all.hpp"
#include "model/base64.hpp"

#include <fmt/format.h>

namespace toktier::diff::shards {
namespace {

constexpr const char* kSchema = "toktier.divergence/1";

std::optional<std::uint64_t> number_or_none(const JsonObject& object, const char* name) {
  if (!object.has(name)) return std::nullopt;
  return object.number(name);
}

std::string bytes(const JsonObject& object, const char* name) {
  std::string out;
  if (!model::decode_base64(object.text(name), out))
    object.fail(fmt::format("field {} is no base64", name));
  return out;
}

std::string label(const JsonObject& object) {
  EngineIdentity identity;
  identity.row = object.text("row");
  identity.name = object.text("name");
  identity.version = object.text("version");
  return identity.label();
}

DivergenceRecord read(const JsonObject& o, const std::string& text) {
  DivergenceRecord r;
  r.text = text;
  r.id = o.text("id");
  r.cls = o.text("class");
  r.check = o.text("check");
  r.stage = o.text("stage");
  r.model = o.text("model");
  r.engine = o.object("engine").text("row");
  r.engine_label = label(o.object("engine"));
  r.reference = o.object("reference").text("row");
  r.reference_label = label(o.object("reference"));
  r.document = o.text("document");
  r.origin = o.text("origin");
  r.line = number_or_none(o, "line");
  r.record_byte = number_or_none(o, "record_byte");
  r.file_byte = number_or_none(o, "file_byte");
  r.document_bytes = o.number("document_bytes");
  r.index = o.number("index");
  r.byte = o.number("byte");
  r.input = bytes(o, "input_base64");
  r.input_whole = o.flag("input_whole");
  if (o.has("minimal_base64")) r.minimal = bytes(o, "minimal_base64");
  r.actual = o.text("actual");
  r.expected = o.text("expected");
  r.seed = o.number("seed");
  r.repro = o.text("repro");
  if (o.has("options")) {
    const JsonObject options = o.object("options");
    r.special = options.text("special");
    r.add_special = options.flag("add_special");
    r.truncate = options.flag("truncate");
    r.rounds = options.number("rounds");
  }
  r.unit = number_or_none(o, "unit");
  if (o.has("source")) r.source = o.text("source");
  if (o.has("occurrences")) r.occurrences = o.number("occurrences");
  return r;
}

}  // namespace

DivergenceRecord parse_divergence(const std::string& json, const std::string& where) {
  const JsonText text(json, where);
  if (text.root().text("schema") != kSchema) text.root().fail("not the record of a divergence");
  return read(text.root(), json);
}

std::vector<DivergenceRecord> read_divergences(const std::string& path) {
  const std::string content = io::read_all(path);
  std::vector<DivergenceRecord> all;
  std::uint64_t line = 0;
  // One object may stand on many lines; then no line is an object.
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  const std::size_t end = content.find('\n', first);
  const bool one = first != std::string::npos && content.substr(first, end - first) == "{";
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t stop =
        one ? content.size() : std::min(content.find('\n', at), content.size());
    const std::string text = content.substr(at, stop - at);
    at = stop + 1;
    ++line;
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", path, line);
    const JsonText json(text, where);
    if (json.root().has("schema") && json.root().text("schema") == kSchema)
      all.push_back(read(json.root(), text));
  }
  if (all.empty()) {
    const JsonText nothing("{}", path);
    nothing.root().fail("no records of divergences");
  }
  return all;
}

}  // namespace toktier::diff::shards
