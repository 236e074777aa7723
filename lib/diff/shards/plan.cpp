#include "diff/shards/plan.hpp"

#include "base/sha256.hpp"
#include "diff/shards/json_object.hpp"
#include "io/read_all.hpp"
#include "report/json_writer.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace toktier::diff::shards {
namespace {

using report::JsonWriter;

constexpr const char* kSchema = "toktier.plan/1";

const char* kind_name(PlanSource::Kind kind) {
  return kind == PlanSource::Kind::files       ? "files"
         : kind == PlanSource::Kind::generator ? "generator"
                                               : "exhaustive";
}

void write_settings(JsonWriter& json, const PlanSettings& s) {
  json.key("settings").begin_object().field("seed", s.seed).field("engine", s.engine);
  json.field("checks", s.checks).field("special", s.special).field("add_special", s.add_special);
  json.field("truncate", s.truncate).field("rounds", s.rounds).field("describe", s.describe);
  json.field("shrink_steps", s.shrink_steps).field("text_pointer", s.text_pointer);
  json.field("id_pointer", s.id_pointer).end_object();
}

void write_portion(JsonWriter& json, const PlanPortion& portion) {
  json.begin_object().field("source", portion.source).field("weight", portion.weight);
  json.field("begin", portion.begin).field("end", portion.end).key("slices").begin_array();
  for (const PlanSlice& s : portion.slices) {
    json.begin_object().field("file", s.file).field("frame", s.frame).field("skip", s.skip);
    json.field("bytes", s.bytes).field("first_line", s.first_line);
    json.field("first_byte", s.first_byte).field("documents", s.documents);
    json.field("text_bytes", s.text_bytes).field("digest", fmt::format("{:016x}", s.digest));
    json.end_object();
  }
  json.end_array().end_object();
}

std::uint64_t hex(const JsonObject& object, const char* name) {
  const std::string text = object.text(name);
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    object.fail(fmt::format("field {} is no digest", name));
  return std::stoull(text, nullptr, 16);
}

void require(bool good, const JsonObject& object, const char* what) {
  if (!good) object.fail(what);
}

void read_portions(Plan& plan, const JsonObject& root) {
  for (const JsonObject& object : root.objects("portions")) {
    PlanPortion portion;
    portion.source = object.number("source");
    require(portion.source < plan.sources.size(), object, "a portion of no source");
    portion.weight = object.number("weight");
    portion.begin = object.number("begin");
    portion.end = object.number("end");
    require(portion.begin <= portion.end, object, "a range that ends before it begins");
    for (const JsonObject& one : object.objects("slices")) {
      PlanSlice slice;
      slice.file = one.number("file");
      require(slice.file < plan.files.size(), one, "a slice of no file");
      slice.frame = one.number("frame");
      slice.skip = one.number("skip");
      slice.bytes = one.number("bytes");
      slice.first_line = one.number("first_line");
      require(slice.first_line > 0, one, "lines are counted from 1");
      slice.first_byte = one.number("first_byte");
      slice.documents = one.number("documents");
      slice.text_bytes = one.number("text_bytes");
      slice.digest = hex(one, "digest");
      portion.slices.push_back(slice);
    }
    plan.portions.push_back(std::move(portion));
  }
}

}  // namespace

std::string plan_text(Plan& plan) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", kSchema).field("shards", plan.shards);
  write_settings(json, plan.settings);
  json.key("models").begin_array();
  for (const PlanModel& model : plan.models)
    json.begin_object()
        .field("name", model.name)
        .field("fingerprint", model.fingerprint)
        .end_object();
  json.end_array().key("refused").begin_object();
  for (const auto& [name, why] : plan.refused) json.field(name, why);
  json.end_object().key("files").begin_array();
  for (const PlanFile& file : plan.files) {
    json.begin_object().field("path", file.path).field("bytes", file.bytes);
    json.field("packed", file.packed).field("archive", file.archive).field("form", file.form);
    json.field("frames", file.frames).end_object();
  }
  json.end_array().key("sources").begin_array();
  for (const PlanSource& source : plan.sources) {
    json.begin_object().field("kind", kind_name(source.kind)).field("name", source.name);
    json.field("alphabet", source.alphabet).field("length", source.length);
    json.key("left_out").begin_object();
    for (const auto& [what, count] : source.left_out) json.field(what, count);
    json.end_object().end_object();
  }
  json.end_array().key("portions").begin_array();
  for (const PlanPortion& portion : plan.portions) write_portion(json, portion);
  json.end_array().key("units").begin_array();
  for (const PlanUnit& unit : plan.units) {
    json.begin_object().field("model", unit.model).field("reference", unit.reference);
    json.field("portion", unit.portion).field("ways", unit.ways).end_object();
  }
  json.end_array().end_object();
  text += '\n';
  plan.digest = base::sha256_hex(text);
  return text;
}

Plan parse_plan(const std::string& text, const std::string& where) {
  const JsonText json(text, where);
  const JsonObject& root = json.root();
  require(root.text("schema") == kSchema, root, "not a plan of toktier-diffcheck plan");
  Plan plan;
  plan.digest = base::sha256_hex(text);
  plan.shards = root.number("shards");
  require(plan.shards > 0, root, "a plan for no shards");
  const JsonObject s = root.object("settings");
  PlanSettings& to = plan.settings;
  to = {s.number("seed"),         s.text("engine"),       s.text("checks"),    s.text("special"),
        s.flag("add_special"),    s.flag("truncate"),     s.number("rounds"),  s.number("describe"),
        s.number("shrink_steps"), s.text("text_pointer"), s.text("id_pointer")};
  for (const JsonObject& model : root.objects("models"))
    plan.models.push_back({model.text("name"), model.text("fingerprint")});
  for (const JsonObject& file : root.objects("files"))
    plan.files.push_back({file.text("path"), file.number("bytes"), file.flag("packed"),
                          file.flag("archive"), file.text("form"), file.number("frames")});
  for (const JsonObject& source : root.objects("sources")) {
    const std::string kind = source.text("kind");
    PlanSource one;
    one.kind = kind == "files"       ? PlanSource::Kind::files
               : kind == "generator" ? PlanSource::Kind::generator
                                     : PlanSource::Kind::exhaustive;
    require(kind == kind_name(one.kind), source, "a source of unknown kind");
    one.name = source.text("name");
    one.alphabet = source.text("alphabet");
    one.length = source.number("length");
    one.left_out = source.counts("left_out");
    plan.sources.push_back(std::move(one));
  }
  read_portions(plan, root);
  for (const JsonObject& object : root.objects("units")) {
    PlanUnit unit{object.number("model"), object.number("portion"), object.text("reference"),
                  object.flag("ways")};
    require(unit.model < plan.models.size() && unit.portion < plan.portions.size(), object,
            "a unit of no model or portion");
    plan.units.push_back(std::move(unit));
  }
  return plan;
}

Plan read_plan(const std::string& path) { return parse_plan(io::read_all(path), path); }

std::vector<std::uint64_t> units_of_shard(const Plan& plan, std::uint64_t shard,
                                          std::uint64_t shards) {
  std::vector<std::uint64_t> order(plan.units.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    return plan.weight(a) > plan.weight(b);
  });
  std::vector<std::uint64_t> load(shards, 0), mine;
  for (const std::uint64_t unit : order) {
    const auto least = std::min_element(load.begin(), load.end());
    // Units of no weight must not all go to one shard.
    *least += plan.weight(unit) + 1;
    if (static_cast<std::uint64_t>(least - load.begin()) == shard) mine.push_back(unit);
  }
  std::sort(mine.begin(), mine.end(), [&](std::uint64_t a, std::uint64_t b) {
    const PlanUnit &x = plan.units[a], &y = plan.units[b];
    return std::tie(x.model, x.reference, a) < std::tie(y.model, y.reference, b);
  });
  return mine;
}

io::RecordOptions record_options(const PlanSettings& settings, const std::string& form) {
  io::RecordOptions options;
  options.form = form == "text"    ? io::RecordForm::text
                 : form == "lines" ? io::RecordForm::lines
                 : form == "jsonl" ? io::RecordForm::jsonl
                                   : io::RecordForm::automatic;
  options.text_pointer = settings.text_pointer;
  options.id_pointer = settings.id_pointer;
  options.ill_formed = io::IllFormed::replace;
  return options;
}

}  // namespace toktier::diff::shards
