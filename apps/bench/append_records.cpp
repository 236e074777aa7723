#include "apps/bench/append_records.hpp"

#include "report/json_writer.hpp"

#include <fmt/format.h>

namespace toktier::bench {
namespace {

using report::JsonWriter;

constexpr double kMicro = 1e6;

void write_times(JsonWriter& json, const std::vector<double>& seconds) {
  const auto microseconds = [&](std::string_view key, double share) {
    json.key(key);
    if (seconds.empty())
      json.null();
    else
      json.value(percentile(seconds, share) * kMicro);
  };
  microseconds("median_us", 0.5);
  microseconds("p90_us", 0.9);
  microseconds("p99_us", 0.99);
  microseconds("min_us", 0);
  microseconds("max_us", 1);
  json.field("samples", seconds.size());
}

std::string cell(const std::vector<double>& seconds, double share) {
  return seconds.empty() ? "-" : fmt::format("{:.1f}", percentile(seconds, share) * kMicro);
}

}  // namespace

std::string record(const AppendReport& r) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "toktier.bench_append/1").field("workload", "append");
  json.field("model", r.model).field("context", r.plan.context).field("append", r.plan.append);
  json.field("interface", name_of(r.plan.interface)).field("threads", 1U);
  write_times(json, r.ours.seconds);
  json.field("verified", r.ours.verified).field("context_bytes", r.ours.context_bytes);
  json.field("context_ids", r.ours.context_ids).field("session_bytes", r.ours.session_bytes);
  json.field("given_bytes", r.ours.given_bytes).field("encoded_bytes", r.ours.encoded_bytes);
  json.field("no_seam", r.ours.no_seam).field("text_begun_again", r.ours.text_begun_again);
  json.field("stopped", r.ours.stopped);
  json.key("difference");
  if (r.ours.difference) {
    json.begin_object().field("sample", r.ours.difference->sample);
    json.field("position", r.ours.difference->position).end_object();
  } else {
    json.null();
  }
  json.key("peers").begin_array();
  for (const PeerAppend& peer : r.peers) {
    json.begin_object().field("name", peer.name).field("version", peer.version);
    json.field("standing", peer.differs           ? "differs"
                           : peer.seconds.empty() ? "refused"
                                                  : "measured");
    json.field("reason", peer.reason);
    write_times(json, peer.seconds);
    json.end_object();
  }
  json.end_array();
  json.key("text").begin_object().field("name", r.text_name).field("sha256", r.text_sha256);
  json.end_object().key("tokenizer").begin_object().field("kind", r.info.kind);
  json.field("fingerprint", r.info.fingerprint).field("reference", r.info.reference);
  json.field("engine", r.info.engine).end_object();
  json.key("machine").begin_object().field("cpu", r.machine.cpu);
  json.field("processors", r.machine.processors).field("allowed", r.machine.allowed);
  json.field("flags", r.machine.flags).field("kernel", r.machine.kernel);
  for (const auto& [key, load] :
       {std::pair{"load_begin", r.load_begin}, std::pair{"load_end", r.load_end}}) {
    json.key(key).begin_array();
    for (const double value : load) json.value(value);
    json.end_array();
  }
  json.end_object().key("program").raw(r.program);
  json.field("command", command_line()).field("started", r.started).field("seconds", r.seconds);
  json.end_object();
  return text;
}

std::string append_heading() {
  return fmt::format("{:<16} {:>5} {:>9} {:>7} {:>10} {:>10} {:>8} {:>9} {:>11}  {}\n", "model",
                     "given", "context", "append", "median us", "p99 us", "samples", "verified",
                     "bytes/token", "peers: median of a whole encode, how many times ours");
}

std::string append_line(const AppendReport& r) {
  const AppendMeasurement& o = r.ours;
  std::string peers;
  for (const PeerAppend& peer : r.peers) {
    if (!peers.empty()) peers += "; ";
    if (peer.seconds.empty() || o.seconds.empty()) {
      peers +=
          fmt::format("{} {}: {}", peer.name, peer.differs ? "differs" : "not timed", peer.reason);
      continue;
    }
    const double theirs = percentile(peer.seconds, 0.5);
    peers += fmt::format("{} {} {:.3g} ms, {:.0f}", peer.name, peer.version, theirs * 1e3,
                         theirs / percentile(o.seconds, 0.5));
  }
  std::string line =
      fmt::format("{:<16} {:>5} {:>9} {:>7} {:>10} {:>10} {:>8} {:>9} {:>11.2f}  {}\n", r.model,
                  name_of(r.plan.interface), r.plan.context, r.plan.append, cell(o.seconds, 0.5),
                  cell(o.seconds, 0.99), o.seconds.size(), o.verified,
                  static_cast<double>(o.session_bytes) /
                      static_cast<double>(std::max<std::uint64_t>(o.context_ids, 1)),
                  peers);
  if (o.difference) {
    line += fmt::format("  WRONG: sample {}, id {} differs from a cold encode\n",
                        o.difference->sample, o.difference->position);
  }
  return line;
}

}  // namespace toktier::bench
