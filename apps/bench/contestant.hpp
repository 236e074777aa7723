#pragma once
// Who is measured, and how each is started. A contestant lives in a process of its own, so that
// every sample begins with empty caches.

#include "apps/bench/wire.hpp"
#include "diff/external/child_process.hpp"

#include <memory>
#include <string>
#include <vector>

namespace toktier::bench {

/// How to start a contestant.
struct Entry {
  std::string name;                  // "toktier", "hf", ...
  std::vector<std::string> command;  // speaks the frames of wire.hpp
  std::string model;                 // the file it is given
  std::string call;                  // filled after the first load
};

/// The names of peers that can be asked for.
const std::vector<std::string>& peer_names();

Entry our_entry(const std::string& model);
/// Error{unavailable} without Python or script: TOKTIER_PEERS_PYTHON and TOKTIER_PEERS_SCRIPT, else
/// .venv-peers/bin/python and scripts/bench/peer.py in a folder above the program, the working
/// directory or TOKTIER_SOURCE_DIR.
Entry peer_entry(const std::string& name, const std::string& model);

/// A running contestant. Every call may throw Error{unavailable} (it died or hangs) or the error it
/// reports. The destructor ends the process.
class Contestant {
 public:
  explicit Contestant(const Entry& entry);
  LoadReply load(const Entry& entry);
  void give_texts(const std::vector<std::string>& texts);
  PassReply pass(std::size_t documents_asked = 0);
  std::vector<TokenId> ids(std::uint32_t document);

 private:
  std::string ask(Frame type, std::string_view payload);
  diff::external::ChildProcess child_;
};

}  // namespace toktier::bench
