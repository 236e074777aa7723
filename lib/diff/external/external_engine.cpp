#include "diff/external/external_engine.hpp"

#include "diff/external/child_process.hpp"
#include "diff/external/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace toktier::diff::external {
namespace {

/// The engine's name on command lines, from the name its own worker gives.
std::string short_name(const std::string& name) {
  if (name == "tokenizers") return "hf";
  return name == "sentencepiece" ? "spm" : name;
}

class ExternalEngine final : public Engine {
 public:
  ExternalEngine(std::string row, WorkerSettings settings)
      : row_(std::move(row)), settings_(std::move(settings)) {
    start();
  }

  const EngineIdentity& identity() const override { return hello_.identity; }

  std::uint32_t can(const AnswerOptions& options) const override {
    if (options.add_special && !has("add_special")) return 0;
    // An engine without truncation in its files cannot tell the difference.
    static constexpr const char* kModes[] = {"special:default", "special:none", "special:all",
                                             "special:list"};
    if (!has(kModes[static_cast<std::size_t>(options.special)])) return 0;
    std::uint32_t parts = 0;
    if (has("ids")) parts |= kIds;
    if (has("spans")) parts |= kSpans;
    if (has("pieces")) parts |= kPieces;
    if (has("decode")) parts |= kDecode;
    return parts;
  }

  void ask(std::span<const std::string_view> texts, const Question& question) override {
    texts_ = texts;
    question_ = question;
    sent_ = false;
    if (texts.empty()) return;
    try {
      send(encode_request(texts, question));
      sent_ = true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unavailable) throw;
      // receive() starts it again and asks once more.
    }
  }

  void receive(std::vector<Answer>& answers) override {
    answers.clear();
    if (texts_.empty()) return;
    if (sent_) {
      sent_ = false;
      try {
        parse_encode(reply(FrameType::encode), texts_.size(), question_, answers, &microseconds_);
        failures_ = 0;
        return;
      } catch (const Error& error) {
        note_failure(error);
      }
    } else {
      note_failure(Error(ErrorCode::unavailable, "died before the request", "reference worker"));
    }
    answers.assign(texts_.size(), {});
    ask_in_parts(answers);
  }

  void decode(std::span<const std::vector<TokenId>> lists, std::vector<Decoded>& texts) override {
    texts.clear();
    if (lists.empty()) return;
    for (;;) {
      try {
        send(decode_request(lists));
        parse_decode(reply(FrameType::decode), lists.size(), texts);
        failures_ = 0;
        return;
      } catch (const Error& error) {
        note_failure(error);
      }
    }
  }

  std::uint64_t restarts() const override { return restarts_; }

 private:
  bool has(std::string_view name) const {
    return std::find(hello_.capabilities.begin(), hello_.capabilities.end(), name) !=
           hello_.capabilities.end();
  }

  void send(const std::string& frame) {
    child_.write_all(frame, ChildProcess::Clock::now() + settings_.request_limit);
  }

  std::string reply(FrameType type, std::optional<std::chrono::milliseconds> limit = {}) {
    const auto deadline = ChildProcess::Clock::now() + limit.value_or(settings_.request_limit);
    const Header header = parse_header(child_.read_exactly(kHeaderBytes, deadline));
    std::string payload = child_.read_exactly(header.length, deadline);
    if (header.type == static_cast<std::uint32_t>(FrameType::error)) throw parse_error(payload);
    if (header.type != (static_cast<std::uint32_t>(type) | kReplyBit)) {
      throw Error(ErrorCode::unavailable, fmt::format("reply: unexpected type {}", header.type),
                  "reference worker");
    }
    return payload;
  }

  void start() {
    child_ = ChildProcess(settings_.command);
    child_.write_all(hello_request(settings_.engine, settings_.model, settings_.threads),
                     ChildProcess::Clock::now() + settings_.start_limit);
    Hello hello = parse_hello(reply(FrameType::hello, settings_.start_limit));
    hello.identity.row = row_ == "ext:auto" ? "ext:" + short_name(hello.identity.name) : row_;
    if (!settings_.expected_sha256.empty() && hello.sha256 != settings_.expected_sha256) {
      throw Error(ErrorCode::unavailable,
                  fmt::format("reads other bytes from the model file: sha256 {}, expected {}",
                              hello.sha256, settings_.expected_sha256),
                  settings_.model);
    }
    if (restarts_ > 0 && (hello.identity.version != hello_.identity.version ||
                          hello.identity.answers != hello_.identity.answers)) {
      throw Error(ErrorCode::unavailable, "came back with another version", "reference worker");
    }
    hello_ = std::move(hello);
  }

  /// After any failure the stream cannot be trusted: a new process, unless the error was the
  /// worker's own words.
  void note_failure(const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw error;
    if (++failures_ > settings_.max_failures) {
      throw Error(ErrorCode::unavailable,
                  fmt::format("given up after {} failures in a row; the last: {}", failures_,
                              error.what()));
    }
    child_.kill();
    ++restarts_;
    start();
  }

  void ask_in_parts(std::vector<Answer>& answers) {
    struct Range {
      std::size_t begin, end;
    };
    std::vector<Range> todo = {{0, texts_.size()}};
    std::vector<Answer> part;
    while (!todo.empty()) {
      const Range range = todo.back();
      todo.pop_back();
      const auto texts = texts_.subspan(range.begin, range.end - range.begin);
      try {
        send(encode_request(texts, question_));
        parse_encode(reply(FrameType::encode), texts.size(), question_, part, &microseconds_);
        failures_ = 0;
        std::move(part.begin(), part.end(),
                  answers.begin() + static_cast<std::ptrdiff_t>(range.begin));
        continue;
      } catch (const Error& error) {
        if (texts.size() == 1 && error.code() == ErrorCode::unavailable) {
          answers[range.begin].status = AnswerStatus::died;
          answers[range.begin].error = error.what();
        }
        note_failure(error);
      }
      if (texts.size() > 1) {
        const std::size_t middle = range.begin + texts.size() / 2;
        todo.push_back({middle, range.end});
        todo.push_back({range.begin, middle});
      }
    }
  }

  std::string row_;
  WorkerSettings settings_;
  ChildProcess child_;
  Hello hello_;
  std::span<const std::string_view> texts_;
  Question question_;
  bool sent_ = false;
  unsigned failures_ = 0;
  std::uint64_t restarts_ = 0;
  std::uint64_t microseconds_ = 0;
};

std::optional<std::filesystem::path> above(std::filesystem::path folder,
                                           const std::filesystem::path& wanted) {
  std::error_code code;
  while (!folder.empty()) {
    if (std::filesystem::exists(folder / wanted, code)) return folder / wanted;
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

std::optional<std::string> find_in_tree(const char* variable, const std::filesystem::path& wanted) {
  if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') return value;
  std::error_code code;
  std::vector<std::filesystem::path> starts;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", code);
  if (!code) starts.push_back(program.parent_path());
  const auto here = std::filesystem::current_path(code);
  if (!code) starts.push_back(here);
  if (const char* source = std::getenv("TOKTIER_SOURCE_DIR"); source != nullptr) {
    starts.emplace_back(source);
  }
  for (const auto& start : starts) {
    if (auto found = above(start, wanted)) return found->string();
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<Engine> start_worker(const std::string& row, const WorkerSettings& settings) {
  return std::make_unique<ExternalEngine>(row, settings);
}

std::vector<std::string> find_worker_command() {
  const auto worker = find_in_tree("TOKTIER_REFERENCE_WORKER", "scripts/reference/worker.py");
  if (!worker) {
    throw Error(ErrorCode::unavailable,
                "scripts/reference/worker.py not found above the program or the working directory; "
                "set TOKTIER_REFERENCE_WORKER");
  }
  const auto python = find_in_tree("TOKTIER_REFERENCE_PYTHON", ".venv/bin/python");
  if (!python) {
    throw Error(ErrorCode::unavailable,
                "no Python environment with the reference engines: run scripts/reference/setup, or "
                "set TOKTIER_REFERENCE_PYTHON");
  }
  return {*python, *worker};
}

}  // namespace toktier::diff::external
