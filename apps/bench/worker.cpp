#include "apps/bench/worker.hpp"

#include "apps/bench/wire.hpp"
#include "report/json_writer.hpp"
#include "toktier/tokenizer.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <time.h>
#include <unistd.h>

namespace toktier::bench {
namespace {

class Stopwatch {
 public:
  Seconds seconds() const {
    const double cpu = thread_cpu() - cpu_;
    return {std::chrono::duration<double>(Clock::now() - wall_).count(), cpu};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double thread_cpu() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }
  Clock::time_point wall_ = Clock::now();
  double cpu_ = thread_cpu();
};

class Worker {
 public:
  explicit Worker(std::string version) : version_(std::move(version)) {}

  std::string load(std::string_view payload) {
    const std::string model = parse_load_request(payload);
    const Stopwatch watch;
    tokenizer_.emplace(Tokenizer::load(model));
    LoadReply reply;
    reply.load = watch.seconds();
    scratch_.emplace(*tokenizer_);
    reply.engine = "toktier";
    reply.version = version_;
    reply.call = "Tokenizer::load; encode(text, {}, scratch, out) a document";
    reply.runtime = "native";
    reply.kind = tokenizer_->info().kind;
    return load_reply_payload(reply);
  }

  std::string texts(std::string_view payload) {
    texts_ = parse_texts(payload);
    bytes_ = 0;
    for (const std::string& text : texts_) bytes_ += text.size();
    return {};
  }

  std::string pass(std::uint32_t flags) {
    if (!tokenizer_) throw Error(ErrorCode::usage, "load must come first");
    // What an earlier pass took is given back first: each pass makes its result anew.
    ids_ = {};
    ends_ = {};
    const Stopwatch watch;
    ends_.reserve(texts_.size());
    ids_.reserve(bytes_ / 2);  // more than most texts need; what is not used is never touched
    for (const std::string& text : texts_) {
      tokenizer_->encode(text, options_, *scratch_, encoding_);
      ids_.insert(ids_.end(), encoding_.ids.begin(), encoding_.ids.end());
      ends_.push_back(ids_.size());
    }
    PassReply reply;
    reply.time = watch.seconds();
    reply.ids = ids_.size();
    std::string all;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const Digest digest = digest_of(ids_.data() + begin(i), ends_[i] - begin(i));
      all.append(digest.data(), digest.size());
      if (flags & kEachDocument) reply.documents.push_back(digest);
    }
    reply.digest = sha256_digest(all);
    return pass_reply_payload(reply);
  }

  std::string ids(std::size_t document) const {
    if (document >= ends_.size()) throw Error(ErrorCode::usage, "ids: no such document");
    return {reinterpret_cast<const char*>(ids_.data() + begin(document)),
            (ends_[document] - begin(document)) * sizeof(TokenId)};
  }

 private:
  std::size_t begin(std::size_t document) const { return document == 0 ? 0 : ends_[document - 1]; }

  std::string version_;
  std::optional<Tokenizer> tokenizer_;
  std::optional<Tokenizer::Scratch> scratch_;
  EncodeOptions options_;
  Encoding encoding_;
  std::vector<std::string> texts_;
  std::size_t bytes_ = 0;  // of all texts
  std::vector<TokenId> ids_;
  std::vector<std::size_t> ends_;  // in ids_, of each document
};

/// False at the end of the input.
bool read_exactly(std::string& out, std::size_t size) {
  out.resize(size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::read(STDIN_FILENO, out.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string answer(Worker& worker, std::uint32_t type, std::string_view payload) {
  switch (static_cast<Frame>(type)) {
    case Frame::load:
      return worker.load(payload);
    case Frame::texts:
      return worker.texts(payload);
    case Frame::pass:
      return worker.pass(parse_number(payload));
    case Frame::ids:
      return worker.ids(parse_number(payload));
    case Frame::bye:
      return {};
  }
  throw Error(ErrorCode::usage, fmt::format("unknown request type {}", type));
}

std::string error_payload(const Error& error) {
  std::string text;
  report::JsonWriter json(text);
  const bool input = error.code() == ErrorCode::input;
  json.begin_object().field("code", input ? "input" : "unsupported").field("error", error.what());
  json.end_object();
  return text;
}

}  // namespace

cli::ExitCode run_worker(const std::string& version) {
  // A signal to the whole group is for the bench to handle; this process ends with its input.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  Worker worker(version);
  std::string header, payload;
  while (read_exactly(header, diff::external::kHeaderBytes)) {
    const diff::external::Header head = diff::external::parse_header(header);
    if (!read_exactly(payload, head.length)) break;
    std::string reply;
    try {
      reply = make_frame(head.type | diff::external::kReplyBit, answer(worker, head.type, payload));
    } catch (const Error& error) {
      reply = make_frame(static_cast<std::uint32_t>(diff::external::FrameType::error),
                         error_payload(error));
    }
    if (!write_all(reply) || head.type == static_cast<std::uint32_t>(Frame::bye)) break;
  }
  return cli::ExitCode::ok;
}

}  // namespace toktier::bench
