#include "apps/bench/contestant.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace toktier::bench {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::minutes kLimit{10};  // for one request; a slow engine on much text

std::optional<std::string> find_above(const char* variable, const fs::path& wanted) {
  if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') return value;
  std::error_code code;
  std::vector<fs::path> starts = {fs::read_symlink("/proc/self/exe", code).parent_path(),
                                  fs::current_path(code)};
  if (const char* source = std::getenv("TOKTIER_SOURCE_DIR"); source != nullptr) {
    starts.emplace_back(source);
  }
  for (fs::path folder : starts) {
    for (; !folder.empty(); folder = folder.parent_path()) {
      if (fs::exists(folder / wanted, code)) return (folder / wanted).string();
      if (folder == folder.parent_path()) break;
    }
  }
  return std::nullopt;
}

/// Without the place that the frames' other users have in front.
std::string own_words(const Error& error) {
  const std::string_view text = error.what();
  const std::size_t place = error.where().size() + (error.where().empty() ? 0 : 2);
  return std::string(text.substr(place));
}

}  // namespace

const std::vector<std::string>& peer_names() {
  static const std::vector<std::string> names = {"hf", "tiktoken", "spm", "gigatoken", "fastokens"};
  return names;
}

Entry our_entry(const std::string& model) {
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  if (code)
    throw Error(ErrorCode::unavailable, "the program cannot find itself: " + code.message());
  return {"toktier", {self.string(), "worker"}, model, ""};
}

Entry peer_entry(const std::string& name, const std::string& model) {
  const auto script = find_above("TOKTIER_PEERS_SCRIPT", "scripts/bench/peer.py");
  if (!script) {
    throw Error(ErrorCode::unavailable,
                "scripts/bench/peer.py not found above the program or the working directory; set "
                "TOKTIER_PEERS_SCRIPT");
  }
  const auto python = find_above("TOKTIER_PEERS_PYTHON", ".venv-peers/bin/python");
  if (!python) {
    throw Error(ErrorCode::unavailable,
                "no Python environment with the peers: run scripts/setup --peers, or set "
                "TOKTIER_PEERS_PYTHON");
  }
  return {name, {*python, *script}, model, ""};
}

Contestant::Contestant(const Entry& entry) : child_(entry.command) {}

std::string Contestant::ask(Frame type, std::string_view payload) {
  using diff::external::FrameType;
  const auto deadline = diff::external::ChildProcess::Clock::now() + kLimit;
  child_.write_all(make_frame(type, payload), deadline);
  const diff::external::Header header =
      diff::external::parse_header(child_.read_exactly(diff::external::kHeaderBytes, deadline));
  std::string reply = child_.read_exactly(header.length, deadline);
  if (header.type == static_cast<std::uint32_t>(FrameType::error)) {
    const Error error = diff::external::parse_error(reply);
    throw Error(error.code(), own_words(error));
  }
  if (header.type != (static_cast<std::uint32_t>(type) | diff::external::kReplyBit)) {
    throw Error(ErrorCode::unavailable, fmt::format("reply: unexpected type {}", header.type));
  }
  return reply;
}

LoadReply Contestant::load(const Entry& entry) {
  return parse_load(ask(Frame::load, load_payload(entry.name, entry.model)));
}

void Contestant::give_texts(const std::vector<std::string>& texts) {
  ask(Frame::texts, texts_payload(texts));
}

PassReply Contestant::pass(std::size_t documents_asked) {
  return parse_pass(ask(Frame::pass, number_payload(documents_asked > 0 ? kEachDocument : 0)),
                    documents_asked);
}

std::vector<TokenId> Contestant::ids(std::uint32_t document) {
  return parse_ids(ask(Frame::ids, number_payload(document)));
}

}  // namespace toktier::bench
