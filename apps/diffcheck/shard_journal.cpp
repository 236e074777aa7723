#include "apps/diffcheck/shard_journal.hpp"

#include "diff/shards/divergence_record.hpp"
#include "diff/shards/shard_folder.hpp"
#include "io/output_file.hpp"
#include "io/read_all.hpp"
#include "report/json_writer.hpp"
#include "toktier/error.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <unistd.h>

namespace toktier::diffcheck {
namespace {

namespace fs = std::filesystem;
namespace shards = diff::shards;

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

void rewrite(const std::string& path, const std::string& content) {
  io::OutputFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace

ShardJournal::ShardJournal(std::string folder, const shards::Plan& plan,
                           const std::string& plan_text, bool resume)
    : folder_(std::move(folder)), plan_(plan) {
  const std::string kept = folder_ + "/plan.json";
  if (fs::exists(kept) && io::read_all(kept) != plan_text)
    throw Error(ErrorCode::usage, "this folder belongs to another plan: give another --out",
                folder_);
  if (!resume && fs::exists(folder_ + "/units.jsonl") &&
      fs::file_size(folder_ + "/units.jsonl") > 0)
    throw Error(ErrorCode::usage,
                "this shard was begun before: add --resume, or give another --out", folder_);
  if (!fs::exists(kept)) rewrite(kept, plan_text);
  take_over();
  resumed_ = done_.size();
  units_.emplace(folder_ + "/units.jsonl");
  divergences_.emplace(folder_ + "/divergences.jsonl");
}

/// Keeps the units that are whole, with the divergences they counted; drops the rest.
void ShardJournal::take_over() {
  const std::string units_path = folder_ + "/units.jsonl";
  const std::string divergences_path = folder_ + "/divergences.jsonl";
  const shards::LogLines units = shards::read_log(units_path);
  const shards::LogLines divergences = shards::read_log(divergences_path);
  std::map<std::uint64_t, std::vector<std::string>> found;
  for (const std::string& line : divergences.lines)
    found[shards::parse_divergence(line, divergences_path).unit.value_or(~std::uint64_t{0})]
        .push_back(line);
  std::string kept_units, kept_divergences;
  std::uint64_t kept = 0, kept_found = 0;
  for (const std::string& line : units.lines) {
    const shards::UnitResult result = shards::parse_unit(line, units_path);
    const std::vector<std::string>& its = found[result.unit];
    if (result.plan != plan_.digest || its.size() != result.described || done(result.unit))
      continue;
    count(result);
    ++kept;
    kept_units += shards::summed_line(line);
    kept_found += its.size();
    for (const std::string& record : its) kept_divergences += shards::summed_line(record);
  }
  const auto whole = [](const shards::LogLines& log, std::uint64_t lines) {
    return !log.torn && log.damaged == 0 && log.lines.size() == lines;
  };
  if (!whole(divergences, kept_found)) rewrite(divergences_path, kept_divergences);
  if (!whole(units, kept)) rewrite(units_path, kept_units);
}

void ShardJournal::count(const shards::UnitResult& result) {
  done_.insert(result.unit);
  documents_ += result.verdict.documents;
  checks_ += result.verdict.checks();
  differences_ += result.verdict.difference_count();
}

void ShardJournal::begin(std::uint64_t shard, std::uint64_t shards, std::uint64_t assigned,
                         const cli::CommonOptions& common,
                         const std::vector<std::string>& command) {
  shard_ = shard;
  shards_ = shards;
  assigned_ = assigned;
  jobs_ = common.jobs;
  command_ = command;
  started_ = now();
}

void ShardJournal::divergence(const std::string& record) { divergences_->append(record); }

void ShardJournal::finish(const shards::UnitResult& result) {
  units_->append(shards::unit_line(result));
  count(result);
  state("running", cli::ExitCode::ok);
}

void ShardJournal::problem(const std::string& text) {
  problems_.push_back(text);
  state("running", cli::ExitCode::ok);
}

void ShardJournal::state(const std::string& status, cli::ExitCode code) {
  status_ = status;
  code_ = code;
  rewrite(folder_ + "/state.json", record() + "\n");
}

std::string ShardJournal::record() const {
  std::string line;
  report::JsonWriter json(line);
  json.begin_object().field("schema", "toktier.shard/1").field("plan", plan_.digest);
  json.field("shard", shard_).field("shards", shards_).field("status", status_);
  json.field("host", shards::host_name()).field("pid", static_cast<std::int64_t>(::getpid()));
  json.field("started", started_).field("updated", now());
  json.field("version", cli::version()).field("commit", cli::commit()).field("jobs", jobs_);
  json.key("command").begin_array();
  for (const std::string& word : command_) json.value(word);
  json.end_array().field("units", assigned_).field("done", done_.size());
  json.field("resumed", resumed_).field("documents", documents_).field("checks", checks_);
  json.field("differences", differences_).key("exit_code");
  if (status_ == "running") {
    json.null();
  } else {
    json.value(static_cast<int>(code_));
  }
  json.key("problems").begin_array();
  for (const std::string& problem : problems_) json.value(problem);
  json.end_array().end_object();
  return line;
}

}  // namespace toktier::diffcheck
