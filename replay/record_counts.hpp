#pragma once
// Counts what readers met: records by format, kind and use; problems, the first of them kept.

#include "replay/sink.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace toktier::replay {

/// Counts and hands everything on. Not thread-safe.
class RecordCounts : public Sink {
 public:
  explicit RecordCounts(Sink& next) : next_(next) {}

  struct ByFormat {
    std::uint64_t files = 0, sessions = 0, steps = 0, messages = 0;
    std::map<std::pair<std::string, Use>, std::uint64_t> records;
    std::uint64_t unknown() const;
  };
  const std::map<std::string, ByFormat, std::less<>>& by_format() const { return by_format_; }
  std::uint64_t files() const { return files_; }
  std::uint64_t unrecognised() const { return unrecognised_; }
  std::uint64_t problems() const { return problems_; }
  std::uint64_t sessions() const { return sessions_; }

  void open(const Session& session) override;
  void step(const std::string& key, Step&& step) override;
  void close(const std::string& key) override;
  void problem(const Problem& problem) override;
  void record(std::string_view format, std::string_view kind, Use use) override;
  void file_done(const std::string& file, std::string_view format) override;

 private:
  Sink& next_;
  std::map<std::string, ByFormat, std::less<>> by_format_;
  std::map<std::string, std::string> format_of_;  // of open sessions
  std::uint64_t files_ = 0, unrecognised_ = 0, problems_ = 0, sessions_ = 0;
};

}  // namespace toktier::replay
