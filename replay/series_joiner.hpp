#pragma once
// Files that are calls of one session, made one session.
//
// A snapshot names the files it may belong with (Session::series). It goes on the session of the
// snapshot before it when both have the series and the two first messages in common: what follows
// the longest common prefix of whole messages, compared in full, is appended; when the older one
// has more than the prefix, it is rewound there first. A snapshot that goes on nothing begins a
// session, a step a message. Memory: the messages of one snapshot.

#include "replay/sink.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace toktier::replay {

/// How the snapshots of series went together.
struct SeriesCounts {
  std::uint64_t snapshots = 0;       ///< that name a series
  std::uint64_t strict_appends = 0;  ///< the older one is a prefix of the newer one
  std::uint64_t rewrites = 0;        ///< it is not: rewound, then appended
  friend bool operator==(const SeriesCounts&, const SeriesCounts&) = default;
};

class SeriesJoiner : public Sink {
 public:
  /// With `join` false every snapshot of a series is a session of its own.
  SeriesJoiner(Sink& next, bool join) : next_(next), join_(join) {}
  /// After the last file.
  void finish();
  const SeriesCounts& counts() const { return counts_; }

  void open(const Session& session) override;
  void step(const std::string& key, Step&& step) override;
  void close(const std::string& key) override;
  void problem(const Problem& problem) override { next_.problem(problem); }
  void record(std::string_view format, std::string_view kind, Use use) override {
    next_.record(format, kind, use);
  }
  void file_done(const std::string& file, std::string_view format) override {
    next_.file_done(file, format);
  }

 private:
  void begin(const Session& session, Step&& snapshot);

  Sink& next_;
  bool join_;
  std::map<std::string, Session> waiting_;  // opened, no step yet
  std::set<std::string> joined_;            // their steps went into the series' session
  Session current_;                         // of the series going on; no key: none
  std::vector<Message> context_;            // its last snapshot
  SeriesCounts counts_;
};

}  // namespace toktier::replay
