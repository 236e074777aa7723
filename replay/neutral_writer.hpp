#pragma once
// Our own form of transcripts: JSON lines, described in docs/replay.md and
// results/schema/trace.schema.json. What is written is read back as it was.

#include "replay/sink.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace toktier::replay {

/// Hands each line (with its '\n') to `write`. Problems and counts of records go nowhere.
class NeutralWriter : public Sink {
 public:
  explicit NeutralWriter(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  void open(const Session& session) override;
  void step(const std::string& key, Step&& step) override;
  void close(const std::string& key) override;
  void problem(const Problem&) override {}
  void record(std::string_view, std::string_view, Use) override {}
  void file_done(const std::string&, std::string_view) override {}

 private:
  struct Turn {
    std::uint64_t number = 0;
    bool answered = true;  // the model's answer ended the turn
  };
  std::function<void(std::string_view)> write_;
  std::map<std::string, Turn> turns_;
};

inline constexpr std::string_view kTraceSchema = "toktier.trace/1";

}  // namespace toktier::replay
