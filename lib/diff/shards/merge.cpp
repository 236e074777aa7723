#include "diff/shards/merge.hpp"

#include "diff/shards/json_object.hpp"
#include "diff/shards/line_log.hpp"
#include "diff/shards/shard_folder.hpp"
#include "io/read_all.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

namespace toktier::diff::shards {
namespace {

namespace fs = std::filesystem;

struct Finished {
  UnitResult result;
  std::string where;                     // folder
  std::vector<std::string> divergences;  // records, in the order they were written
};

ShardState read_state(const FoundShard& found) {
  ShardState state;
  state.name = fs::path(found.folder).filename().string();
  state.shard = found.shard;
  state.shards = found.shards;
  const std::string path = found.folder + "/state.json";
  if (!fs::exists(path)) return state;
  const JsonText text(io::read_all(path), path);
  const JsonObject& root = text.root();
  state.status = root.text("status");
  state.host = root.text("host");
  if (root.has("exit_code")) state.exit_code = root.number("exit_code");
  state.problems = root.texts("problems");
  return state;
}

class Merger {
 public:
  explicit Merger(const std::string& run) : run_(run) {}

  Merged merge() {
    const std::vector<FoundShard> folders = find_shards(run_);
    for (const FoundShard& found : folders) {
      if (!fs::exists(found.folder + "/plan.json")) continue;  // died before it began
      read_shard(found);
    }
    if (!planned_) throw Error(ErrorCode::input, "no shard has begun here", run_);
    make_rows();
    collect_divergences();
    return std::move(merged_);
  }

 private:
  void read_shard(const FoundShard& found) {
    const Plan plan = read_plan(found.folder + "/plan.json");
    if (!planned_) merged_.plan = plan;
    planned_ = true;
    if (plan.digest != merged_.plan.digest)
      throw Error(ErrorCode::input, "shards of two different plans", found.folder);
    ShardState state = read_state(found);
    const LogLines units = read_log(found.folder + "/units.jsonl");
    const LogLines divergences = read_log(found.folder + "/divergences.jsonl");
    state.damaged_lines = units.damaged + divergences.damaged;
    state.torn = units.torn || divergences.torn;
    std::map<std::uint64_t, std::vector<std::string>> by_unit;
    for (const std::string& line : divergences.lines) {
      const JsonText text(line, found.folder + "/divergences.jsonl");
      by_unit[text.root().number("unit")].push_back(line);
    }
    for (const std::string& line : units.lines) {
      UnitResult result = parse_unit(line, found.folder + "/units.jsonl");
      if (result.unit >= merged_.plan.units.size() || result.plan != merged_.plan.digest)
        throw Error(ErrorCode::input, "the log holds a unit of another plan", found.folder);
      merged_.conduct.unit_seconds += result.verdict.wall_seconds;
      add_unit({std::move(result), found.folder, {}}, by_unit);
    }
    merged_.conduct.shards.push_back(std::move(state));
  }

  void add_unit(Finished unit, std::map<std::uint64_t, std::vector<std::string>>& by_unit) {
    const std::uint64_t number = unit.result.unit;
    unit.divergences = by_unit[number];
    // What was found and is not here any more was damaged: the unit is not whole.
    if (unit.divergences.size() != unit.result.described) return;
    const auto [at, fresh] = finished_.emplace(number, unit);
    if (fresh) return;
    if (!at->second.result.same_findings(unit.result)) {
      throw Error(ErrorCode::internal,
                  fmt::format("unit {} gave two different results, in {} and {}", number,
                              at->second.where, unit.where));
    }
    ++merged_.conduct.twice;
  }

  void make_rows() {
    std::map<std::tuple<std::uint64_t, std::string, std::uint64_t>, std::size_t> places;
    const Plan& plan = merged_.plan;
    for (std::uint64_t number = 0; number < plan.units.size(); ++number) {
      const PlanUnit& unit = plan.units[number];
      const std::uint64_t source = plan.portions[unit.portion].source;
      const auto [at, fresh] =
          places.emplace(std::tuple(unit.model, unit.reference, source), merged_.rows.size());
      if (fresh) {
        MergedRow row;
        row.model = unit.model;
        row.reference = unit.reference;
        row.source = source;
        row.status = "missing";
        for (const auto& [kind, count] : plan.sources[source].left_out)
          row.sums.skipped[kind] += count;
        merged_.rows.push_back(std::move(row));
      }
      MergedRow& row = merged_.rows[at->second];
      ++row.units;
      const auto done = finished_.find(number);
      if (done == finished_.end()) {
        merged_.missing.push_back(number);
      } else {
        add_to(row, done->second);
      }
    }
    for (const MergedRow& row : merged_.rows) {
      Verdict sums = row.sums;
      sums.ids_seen.clear();
      add(merged_.totals, sums);
    }
  }

  static void add_to(MergedRow& row, const Finished& unit) {
    const UnitResult& result = unit.result;
    if (row.done++ == 0) {
      row.status = result.status;
      row.reason = result.reason;
      row.engine = result.engine;
      row.with = result.reference;
    }
    const auto same = [](const EngineIdentity& a, const EngineIdentity& b) {
      return a.name == b.name && a.version == b.version && a.unicode == b.unicode &&
             a.fingerprint == b.fingerprint;
    };
    if (row.status != result.status || !same(row.engine, result.engine) ||
        !same(row.with, result.reference)) {
      throw Error(ErrorCode::input,
                  fmt::format("unit {} met other engines than the units before it", result.unit),
                  unit.where);
    }
    add(row.sums, result.verdict);
  }

  void collect_divergences() {
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
    for (const auto& [number, unit] : finished_) {
      for (const std::string& line : unit.divergences) {
        const JsonText text(line, unit.where);
        const JsonObject& root = text.root();
        MergedDivergence one{number,
                             0,
                             root.text("id"),
                             root.text("class"),
                             root.text("model"),
                             root.object("reference").text("row"),
                             line};
        const auto [at, fresh] = places.emplace(std::tuple(one.model, one.reference, one.id),
                                                merged_.divergences.size());
        if (fresh) merged_.divergences.push_back(std::move(one));
        ++merged_.divergences[at->second].occurrences;
      }
    }
  }

  std::string run_;
  bool planned_ = false;
  std::map<std::uint64_t, Finished> finished_;
  Merged merged_;
};

}  // namespace

Merged merge_run(const std::string& run) { return Merger(run).merge(); }

}  // namespace toktier::diff::shards
