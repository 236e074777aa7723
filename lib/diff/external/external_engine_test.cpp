#include "diff/external/external_engine.hpp"

#include "diff/external/frame.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace toktier::diff;
using namespace toktier::diff::external;

namespace {

using std::chrono::milliseconds;

/// A worker that is a shell script: enough to be rude in every way.
WorkerSettings shell(const std::string& script) {
  WorkerSettings settings;
  settings.command = {"/bin/sh", "-c", script};
  settings.model = "model";
  settings.start_limit = milliseconds(20'000);
  settings.request_limit = milliseconds(20'000);
  settings.max_failures = 3;
  return settings;
}

std::string octal(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  return out;
}

std::string frame(std::uint32_t type, const std::string& payload) {
  std::string out;
  for (const std::uint32_t word : {kMagic, type, static_cast<std::uint32_t>(payload.size())}) {
    out.append(reinterpret_cast<const char*>(&word), 4);
  }
  return out + payload;
}

const std::string kHello = frame(
    0x81,
    R"({"engine":"e","version":"1","unicode":"","kind":"k","sha256":"aa","side_sha256":"","end_id":5,"capabilities":["ids","special:default"]})");

std::string print(const std::string& bytes) { return "printf '" + octal(bytes) + "'; "; }

toktier::ErrorCode code_of(const WorkerSettings& settings, std::string* message = nullptr) {
  try {
    start_worker("ext:test", settings);
  } catch (const toktier::Error& error) {
    if (message != nullptr) *message = error.what();
    return error.code();
  }
  FAIL("no error");
  return toktier::ErrorCode::internal;
}

}  // namespace

TEST_CASE("a worker that cannot start, ends, or talks nonsense is unavailable, with the reason") {
  std::string message;
  WorkerSettings missing = shell("");
  missing.command = {"/does/not/exist"};
  CHECK(code_of(missing, &message) == toktier::ErrorCode::unavailable);
  CHECK(code_of(shell("exit 3"), &message) == toktier::ErrorCode::unavailable);
  CHECK(code_of(shell("echo 'Traceback: something went wrong'; cat > /dev/null"), &message) ==
        toktier::ErrorCode::unavailable);
  CHECK(message.find("magic") != std::string::npos);
  CHECK(code_of(shell("head -c 100000 /dev/urandom; cat > /dev/null")) ==
        toktier::ErrorCode::unavailable);
  std::string giant = frame(0x81, "");
  giant[8] = giant[9] = giant[10] = giant[11] = '\xFF';
  CHECK(code_of(shell(print(giant) + "cat > /dev/null")) == toktier::ErrorCode::unavailable);
  CHECK(code_of(shell(print(kHello.substr(0, 40)))) == toktier::ErrorCode::unavailable);
  CHECK(code_of(shell(print(frame(0x83, "x")) + "cat > /dev/null")) ==
        toktier::ErrorCode::unavailable);
}

TEST_CASE("a worker that says nothing is killed at the limit") {
  WorkerSettings silent = shell("exec sleep 1000");
  silent.start_limit = milliseconds(200);
  std::string message;
  CHECK(code_of(silent, &message) == toktier::ErrorCode::unavailable);
  CHECK(message.find("time limit") != std::string::npos);
}

TEST_CASE("a worker that refuses the model says why") {
  std::string message;
  const std::string reply = frame(0xFF, R"({"code":"unsupported","error":"model: GGUF"})");
  CHECK(code_of(shell(print(reply) + "cat > /dev/null"), &message) ==
        toktier::ErrorCode::unsupported);
  CHECK(message.find("GGUF") != std::string::npos);
}

TEST_CASE("another file than ours is noticed") {
  WorkerSettings settings = shell(print(kHello) + "cat > /dev/null");
  settings.expected_sha256 = "bb";
  CHECK(code_of(settings) == toktier::ErrorCode::unavailable);
  settings.expected_sha256 = "aa";
  CHECK(start_worker("ext:test", settings)->identity().version == "1");
}

TEST_CASE("a worker that dies on every request is given up, not waited for") {
  // It reads the greeting and the first byte of a request.
  WorkerSettings settings = shell("");
  const std::size_t greeting =
      hello_request(settings.engine, settings.model, settings.threads).size();
  settings.command[2] = print(kHello) + fmt::format("head -c {} > /dev/null; exit 9", greeting + 1);
  auto engine = start_worker("ext:test", settings);
  CHECK(engine->can({}) == kIds);
  const std::string_view texts[] = {"a", "b"};
  std::vector<Answer> answers;
  engine->ask(texts, {});
  CHECK_THROWS_AS(engine->receive(answers), toktier::Error);
  CHECK(engine->restarts() >= 3);
}

TEST_CASE("the real workers answer, survive a kill, and isolate a deadly document") {
  std::vector<std::string> command;
  try {
    command = find_worker_command();
  } catch (const toktier::Error& error) {
    MESSAGE("skipped: 1 (", error.what(), ")");
    return;
  }
  const char* source = std::getenv("TOKTIER_SOURCE_DIR");
  const char* shared = std::getenv("TOKTIER_SHARED");
  const std::string root =
      shared != nullptr ? shared : std::string(source ? source : ".") + "/../shared";
  const std::string model = root + "/tokenizers/tiktoken-r50k_base/r50k_base.tiktoken.zst";
  if (!std::filesystem::exists(model)) {
    MESSAGE("skipped: 1 (no ", model, ")");
    return;
  }
  WorkerSettings settings;
  settings.command = command;
  settings.model = model;
  auto engine = start_worker("ext:auto", settings);
  CHECK(engine->identity().name == "tiktoken");
  Question question;
  question.parts = kIds | kSpans;
  const Answer answer = answer_one(*engine, "hello world", question);
  CHECK(answer.ids == std::vector<toktier::TokenId>{31373, 995});
  CHECK(answer.spans == std::vector<toktier::Span>{{0, 5}, {5, 11}});
  CHECK(answer_one(*engine, "a\xFF", question).status == AnswerStatus::invalid_text);
  question.digest_only = true;
  const std::string_view texts[] = {"hello world"};
  std::vector<Answer> digests;
  engine->ask(texts, question);
  engine->receive(digests);
  CHECK(digests[0].id_digest == answer.id_digest);
  CHECK(digests[0].span_digest == answer.span_digest);
  std::vector<Decoded> decoded;
  const std::vector<toktier::TokenId> lists[] = {answer.ids, {0xFFFFFFF0U}};
  engine->decode(lists, decoded);
  CHECK(decoded[0].text == "hello world");
  CHECK(decoded[1].status == AnswerStatus::refused);

  // The same worker behind a wrapper that dies when a request holds the word.
  const auto folder = std::filesystem::temp_directory_path() / "toktier_deadly_worker";
  std::filesystem::create_directories(folder);
  const auto script = folder / "deadly.py";
  std::ofstream(script) << "import os, sys\n"
                           "sys.path.insert(0, os.path.dirname(sys.argv[1]))\n"
                           "import worker\n"
                           "inner = worker.answer_encode\n"
                           "def deadly(engine, payload):\n"
                           "    if b'deadly' in payload:\n"
                           "        os.kill(os.getpid(), 9)\n"
                           "    return inner(engine, payload)\n"
                           "worker.answer_encode = deadly\n"
                           "sys.exit(worker.main())\n";
  settings.command = {command[0], script.string(), command[1]};
  settings.threads = 1;
  engine = start_worker("ext:auto", settings);
  std::vector<std::string_view> many(9, "fine");
  many[4] = "a deadly one";
  engine->ask(many, {});
  engine->receive(digests);
  for (std::size_t i = 0; i < many.size(); ++i) {
    CAPTURE(i);
    CHECK(digests[i].status == (i == 4 ? AnswerStatus::died : AnswerStatus::ok));
  }
  CHECK(engine->restarts() >= 2);
  std::filesystem::remove_all(folder);
}
