// Steps gathered by sessions, and steps as lines.

#include "replay/work_session.hpp"

#include "replay/workload_lines.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace toktier;
using namespace toktier::replay;

namespace {

WorkStep step_of(const std::string& session, WorkOp op, const std::string& text,
                 std::uint64_t bytes) {
  WorkStep step;
  step.session = session;
  step.op = op;
  step.text = text;
  step.bytes = bytes;
  return step;
}

WorkStep fork_of(const std::string& from, const std::string& session, std::uint64_t begin,
                 const std::string& text) {
  WorkStep step = step_of(session, WorkOp::fork, text, begin + text.size());
  step.from = from;
  step.begin = begin;
  return step;
}

struct TemporaryFile {
  TemporaryFile()
      : path((std::filesystem::temp_directory_path() /
              ("toktier-steps-" + std::to_string(::getpid()) + ".jsonl"))
                 .string()) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
  std::string path;
};

struct Steps : WorkSink {
  void step(const WorkStep& step) override { all.push_back(step); }
  std::vector<WorkStep> all;
};

}  // namespace

TEST_CASE("a session is given away with its forks when all are closed") {
  std::vector<WorkSession> given;
  WorkCollector collector("p", [&](WorkSession&& work) { given.push_back(std::move(work)); });
  collector.describe("a", "file", "format");
  collector.step(step_of("a", WorkOp::open, "x", 1));
  collector.step(step_of("b", WorkOp::open, "y", 1));
  collector.step(fork_of("a", "c", 1, "z"));
  collector.step(step_of("a", WorkOp::close, "", 0));
  CHECK(given.empty());
  collector.step(step_of("b", WorkOp::close, "", 0));
  REQUIRE(given.size() == 1);
  CHECK(given[0].key == "b");
  CHECK(given[0].file.empty());
  collector.step(step_of("c", WorkOp::append, "q", 3));
  collector.step(step_of("c", WorkOp::close, "", 0));
  REQUIRE(given.size() == 2);
  CHECK(given[1].key == "a");
  CHECK(given[1].file == "file");
  CHECK(given[1].format == "format");
  CHECK(given[1].policy == "p");
  CHECK(given[1].steps.size() == 5);
  CHECK_THROWS_AS(collector.step(step_of("a", WorkOp::append, "x", 1)), Error);
  collector.step(step_of("d", WorkOp::open, "x", 1));
  collector.finish();
  REQUIRE(given.size() == 3);
  CHECK(given[2].key == "d");
}

TEST_CASE("steps as lines come back as they were") {
  std::vector<WorkStep> steps = {step_of("s", WorkOp::open, "caf\xC3\xA9\n\"", 7),
                                 step_of("s", WorkOp::append, "more", 11),
                                 fork_of("s", "t", 3, "!"),
                                 step_of("s", WorkOp::edit, "X", 8),
                                 step_of("s", WorkOp::rewind, "", 2),
                                 step_of("s", WorkOp::replace, "new", 3),
                                 step_of("t", WorkOp::close, "", 0)};
  steps[1].prompt = true;
  steps[1].turn = 7;
  steps[3].end = 5;  // a whole character
  steps[4].begin = 2;
  steps[3].bytes = 11 - 5 + 1;
  TemporaryFile file;
  std::string text;
  for (const WorkStep& step : steps) text += workload_line(step) + "\n";
  file.write(text);
  Steps read;
  CHECK(read_workload(file.path, read) == steps.size());
  REQUIRE(read.all.size() == steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(workload_line(read.all[i]) == workload_line(steps[i]));
    CHECK(read.all[i].text == steps[i].text);
    CHECK(read.all[i].begin == steps[i].begin);
    CHECK(read.all[i].end == steps[i].end);
    CHECK(read.all[i].prompt == steps[i].prompt);
  }
}

TEST_CASE("steps that cannot be are refused with line and field") {
  const std::string open = workload_line(step_of("s", WorkOp::open, "abc", 3)) + "\n";
  const struct {
    std::string line;
    const char* said;
  } kBad[] = {
      {"{", ":2"},
      {R"({"schema":"toktier.workload/2","kind":"step"})", "schema"},
      {R"({"schema":"toktier.workload/1","kind":"prompt"})", "kind"},
      {R"({"schema":"toktier.workload/1","kind":"step","op":"append"})", "session"},
      {R"({"schema":"toktier.workload/1","kind":"step","session":"s","op":"push"})", "op"},
      {R"({"schema":"toktier.workload/1","kind":"step","session":"s","op":"append","text":3})",
       "text"},
      {R"({"schema":"toktier.workload/1","kind":"step","session":"s","op":"append","bytes":-1})",
       "bytes"},
      {workload_line(step_of("s", WorkOp::append, "d", 9)), "bytes"},
      {workload_line(step_of("x", WorkOp::append, "d", 1)), "no such session"},
      {workload_line(fork_of("s", "t", 9, "")), "outside"},
  };
  TemporaryFile file;
  for (const auto& [line, said] : kBad) {
    CAPTURE(line);
    file.write(open + line + "\n");
    Steps read;
    try {
      read_workload(file.path, read);
      FAIL("not refused");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::input);
      CHECK_MESSAGE(std::string(error.what()).find(said) != std::string::npos, error.what());
      CHECK(std::string(error.what()).find(":2") != std::string::npos);
    }
    CHECK(read.all.size() == 1);
  }
}
