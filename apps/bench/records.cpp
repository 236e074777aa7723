#include "apps/bench/records.hpp"

#include "apps/bench/summary.hpp"
#include "report/json_writer.hpp"

namespace toktier::bench {
namespace {

using report::JsonWriter;

void write_seconds(JsonWriter& json, std::string_view key, const Seconds& seconds) {
  json.key(key).begin_object().field("wall", seconds.wall).field("cpu", seconds.cpu).end_object();
}

void write_spread(JsonWriter& json, std::string_view key, const std::optional<Spread>& spread) {
  json.key(key);
  if (!spread) {
    json.null();
    return;
  }
  json.begin_object().field("median", spread->median).field("min", spread->least);
  json.field("max", spread->most).field("samples", spread->count).end_object();
}

void write_rate(JsonWriter& json, std::string_view key, std::uint64_t bytes,
                const std::optional<Spread>& seconds) {
  json.key(key);
  if (seconds) {
    json.value(rate(bytes, seconds->median));
  } else {
    json.null();
  }
}

void write_ids(JsonWriter& json, std::string_view key, const std::vector<TokenId>& ids) {
  json.key(key).begin_array();
  for (const TokenId id : ids) json.value(id);
  json.end_array();
}

void write_samples(JsonWriter& json, const Lane& lane) {
  json.key("samples").begin_array();
  for (const Sample& sample : lane.samples) {
    json.begin_object().field("round", sample.round);
    write_seconds(json, "load", sample.load);
    write_seconds(json, "first", sample.first);
    json.key("later").begin_array();
    for (const Seconds& pass : sample.later) {
      json.begin_object().field("wall", pass.wall).field("cpu", pass.cpu).end_object();
    }
    json.end_array();
    if (sample.first_call) write_seconds(json, "first_call", *sample.first_call);
    json.end_object();
  }
  json.end_array();
}

void write_summary(JsonWriter& json, const Lane& lane, const Lane& ours, std::uint64_t bytes) {
  const LaneSummary s = summarise(lane, ours);
  json.key("summary").begin_object();
  write_rate(json, "first_mb_s_wall", bytes, s.first_wall);
  write_rate(json, "first_mb_s_cpu", bytes, s.first_cpu);
  write_rate(json, "later_mb_s_wall", bytes, s.later_wall);
  write_rate(json, "later_mb_s_cpu", bytes, s.later_cpu);
  write_spread(json, "load_wall", s.load_wall);
  write_spread(json, "load_cpu", s.load_cpu);
  write_spread(json, "first_call_wall", s.call_wall);
  write_spread(json, "first_call_cpu", s.call_cpu);
  write_spread(json, "times_first_wall", s.times_first_wall);
  write_spread(json, "times_first_cpu", s.times_first_cpu);
  write_spread(json, "times_later_wall", s.times_later_wall);
  write_spread(json, "times_later_cpu", s.times_later_cpu);
  json.end_object();
}

void write_lane(JsonWriter& json, const Lane& lane, const Lane& ours, std::uint64_t bytes) {
  json.begin_object().field("name", lane.entry.name).field("standing", name_of(lane.standing));
  json.field("reason", lane.reason).field("engine", lane.facts.engine);
  json.field("version", lane.facts.version).field("runtime", lane.facts.runtime);
  json.field("call", lane.facts.call);
  json.key("difference");
  if (lane.difference) {
    const Difference& d = *lane.difference;
    json.begin_object().field("document", d.document).field("documents", d.documents);
    json.field("position", d.position);
    write_ids(json, "ours", d.ours);
    write_ids(json, "theirs", d.theirs);
    json.end_object();
  } else {
    json.null();
  }
  write_samples(json, lane);
  write_summary(json, lane, ours, bytes);
  json.end_object();
}

void write_loads(JsonWriter& json, std::string_view key, const std::array<double, 3>& loads) {
  json.key(key).begin_array();
  for (const double load : loads) json.value(load);
  json.end_array();
}

void write_context(JsonWriter& json, const Report& r) {
  json.field("started", r.started).field("seconds", r.seconds);
  json.field("command", command_line()).field("stopped", r.measurement.stopped);
  json.key("program").raw(r.program);
  json.key("machine").begin_object().field("cpu", r.machine.cpu);
  json.field("processors", r.machine.processors).field("allowed", r.machine.allowed);
  json.field("flags", r.machine.flags).field("kernel", r.machine.kernel);
  write_loads(json, "load_begin", r.load_begin);
  write_loads(json, "load_end", r.load_end);
  json.end_object();
  json.key("model").begin_object().field("name", r.model).field("kind", r.info.kind);
  json.field("fingerprint", r.info.fingerprint).field("reference", r.info.reference);
  json.field("unicode", r.info.unicode).end_object();
  const Measurement& m = r.measurement;
  json.key("text").begin_object().field("name", r.texts->name);
  json.field("documents", r.texts->texts.size()).field("bytes", r.texts->bytes);
  json.field("sha256", r.texts->sha256).field("ids", m.ids).field("ids_sha256", hex(m.digest));
  json.end_object();
  json.key("options").begin_object().field("threads", 1).field("samples", r.plan.samples);
  json.field("passes", r.plan.passes).field("seed", r.plan.seed);
  json.field("first_call_bytes", m.first_call_text_bytes);
  json.field("first_call_ids", m.first_call_ids).end_object();
}

}  // namespace

std::string record(const Report& r) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "toktier.bench/1");
  write_context(json, r);
  json.key("contestants").begin_array();
  const std::vector<Lane>& lanes = r.measurement.lanes;
  for (const Lane& lane : lanes) write_lane(json, lane, lanes.front(), r.texts->bytes);
  json.end_array().end_object();
  return text;
}

}  // namespace toktier::bench
