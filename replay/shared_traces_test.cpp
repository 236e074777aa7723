// The real transcripts of the shared data: numbers that its README states, and round trips.
//
// Where a number here is not that of the README the note says why; docs/replay.md has the table.

#include "replay/neutral_writer.hpp"
#include "replay/read.hpp"
#include "replay/record_counts.hpp"
#include "replay/statistics.hpp"
#include "replay/testing/dump.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;
using namespace toktier::replay;

namespace {

fs::path traces() {
  if (const char* shared = std::getenv("TOKTIER_SHARED")) return fs::path(shared) / "traces";
  const char* source = std::getenv("TOKTIER_SOURCE_DIR");
  return (source == nullptr ? fs::path() : fs::path(source)) / ".." / "shared" / "traces";
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(traces() / folder))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

void read(const std::string& folder, Sink& sink, bool join, SeriesCounts* series = nullptr) {
  ReadOptions options;
  options.join = join;
  TranscriptReader reader(sink, options);
  for (const std::string& file : files_of(folder)) reader.read(file);
  reader.finish();
  if (series != nullptr) *series = reader.series();
}

struct Row {
  const char* folder;
  const char* format;
  std::uint64_t files, sessions, appends, calls;
};

// Without joining, as the README counts.
constexpr Row kRows[] = {
    {"aider-chat-md", "aider-chat-md", 75, 851, 4701, 1463},  // README takes blank lines for turns
    {"atif-trajectory", "atif-trajectory", 5, 5, 249, 93},
    {"chat-completions-calls", "chat-completions-calls", 6, 6, 42, 21},
    {"claude-code-jsonl", "claude-code-jsonl", 116, 118, 2538, 898},  // two sub-agents apart
    {"codex-exec-json", "codex-exec-json", 5, 5, 639, 179},  // without two errors shown to a user
    {"codex-responses-wire", "codex-responses-wire", 2, 2, 524,
     146},  // README joins the first input
    {"codex-rollout-jsonl", "codex-rollout-jsonl", 19, 19, 84,
     33},  // with what fixtures call tool_*
    {"codex-swebenchpro-shape", "codex-swebenchpro-shape", 1, 22, 860, 441},
    {"mini-swe-agent", "mini-swe-agent", 1, 1, 21, 10},
    {"openai-messages", "openai-messages", 58, 111, 1242, 520},
    {"openhands-events", "openhands-events", 5, 7, 182, 92},  // README counts all 199 events
    {"otel-genai-spans", "otel-genai-spans", 6, 5, 38, 17},   // README joins system and user
    {"pi-session-jsonl", "pi-session-jsonl", 1, 1, 989, 484},
    {"react-text", "react-text", 1, 512, 5601, 1867},
    {"sharegpt", "sharegpt", 2, 800, 3114, 1957},
    {"specstory-md", "specstory-md", 81, 110, 14536, 796},  // sidechains apart, no preamble
    {"swe-agent-traj", "swe-agent-traj", 91, 91, 2024, 1009},
    {"tau-bench", "tau-bench", 2, 202, 3449, 1658},
    {"tau2-bench", "tau2-bench", 3, 2, 0, 0},
    {"terminal-bench-logs", "terminal-bench-logs", 12, 12, 15196, 10},
    {"tracelab-rounds", "tracelab-rounds", 3, 6, 0, 0},
};

bool absent() {
  if (fs::exists(traces())) return false;
  MESSAGE("skipped: 1 test over ", std::size(kRows), " folders (no shared traces)");
  return true;
}

}  // namespace

TEST_CASE("counts of every folder") {
  if (absent()) return;
  for (const Row& row : kRows) {
    StatisticsSink sink;
    read(row.folder, sink, false);
    const auto found = sink.by_format().find(row.format);
    REQUIRE_MESSAGE(found != sink.by_format().end(), row.folder);
    const Statistics& s = found->second;
    CAPTURE(row.folder);
    CHECK(s.files == row.files);
    CHECK(s.sessions == row.sessions);
    CHECK(s.appends == row.appends);
    CHECK(s.calls == row.calls);
  }
}

TEST_CASE("numbers that the README names") {
  if (absent()) return;
  StatisticsSink pi, wire, rounds, tau;
  read("pi-session-jsonl", pi, true);
  CHECK(pi.total().compactions == 2);
  CHECK(pi.total().forks == 1);
  read("codex-responses-wire", wire, true);
  CHECK(wire.total().recorded_calls == 148);
  CHECK(wire.total().sessions == 2);
  SeriesCounts series;
  StatisticsSink joined;
  read("openai-messages", joined, true, &series);
  CHECK(series.strict_appends == 47);
  CHECK(series.rewrites == 0);
  CHECK(joined.total().sessions == 64);
  read("chat-completions-calls", joined, true, &series);
  CHECK(series.strict_appends == 5);
  read("tracelab-rounds", rounds, true);
  CHECK(rounds.total().rounds == 38);
  CHECK(rounds.total().round_drops == 5);  // one rolled back, four left a provider's cache
  read("aider-chat-md", tau, true);
  CHECK(tau.total().append_chars.max() > 400000);
}

TEST_CASE("sizes that the README names") {
  if (absent()) return;
  // Characters of appends and of final contexts: p50, p90, max; of the first item: max.
  const struct {
    const char* folder;
    std::uint64_t append[3], context[3], first;
  } kSizes[] = {
      {"codex-swebenchpro-shape", {662, 4198, 115'694}, {69'067, 101'593, 251'331}, 23'919},
      {"mini-swe-agent", {187, 528, 2331}, {7637, 7637, 7637}, 657},
      {"swe-agent-traj", {644, 4158, 75'767}, {35'528, 51'544, 107'736}, 8566},
  };
  for (const auto& row : kSizes) {
    CAPTURE(row.folder);
    StatisticsSink sink;
    read(row.folder, sink, false);
    const Statistics s = sink.total();
    const double shares[] = {0.5, 0.9, 1};
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(s.append_chars.quantile(shares[i]) == row.append[i]);
      CHECK(s.context_chars.quantile(shares[i]) == row.context[i]);
    }
    CHECK(s.first_chars.max() == row.first);
  }
}

TEST_CASE("no real session of Claude Code is taken for a branch") {
  if (absent()) return;
  StatisticsSink sink;
  TranscriptReader reader(sink, {});
  std::size_t files = 0;
  for (const std::string& file : files_of("claude-code-jsonl")) {
    if (file.find("fixture__") != std::string::npos) continue;
    reader.read(file);
    ++files;
  }
  reader.finish();
  CHECK(files == 101);
  CHECK(sink.total().rewinds == 0);
  CHECK(sink.problems() == 0);
}

TEST_CASE("our own form keeps every session") {
  if (absent()) return;
  std::uint64_t sessions = 0;
  for (const auto& entry : fs::directory_iterator(traces())) {
    if (!entry.is_directory()) continue;
    const std::string folder = entry.path().filename().string();
    testing::DumpSink first, second;
    std::string lines;
    NeutralWriter writer([&lines](std::string_view line) { lines += line; });
    read(folder, first, true);
    RecordCounts counts(writer);
    read(folder, counts, true);
    TranscriptReader reader(second, {});
    reader.read_bytes(lines, "memory");
    reader.finish();
    const bool equal = second.sessions() == first.sessions();  // not shown: megabytes
    CHECK_MESSAGE(equal, folder);
    sessions += counts.sessions();
  }
  CHECK(sessions > 2800);
}
