#pragma once
// The steps of one session and of all forks of it, complete: the unit that is carried out by one
// thread.

#include "replay/workload.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace toktier::replay {

struct WorkSession {
  std::string key;     ///< of the session that the others are forks of
  std::string file;    ///< as read; may be empty
  std::string format;  ///< of the transcript; may be empty
  std::string policy;  ///< name of the mutation
  std::vector<WorkStep> steps;
};

/// Gathers steps until a session and its forks are closed, then gives them away. Memory: the steps
/// of what is open. Not thread-safe.
class WorkCollector : public WorkSink {
 public:
  using Take = std::function<void(WorkSession&&)>;
  WorkCollector(std::string policy, Take take)
      : policy_(std::move(policy)), take_(std::move(take)) {}

  /// Facts of a session whose steps follow.
  void describe(const std::string& key, const std::string& file, const std::string& format);
  void step(const WorkStep& step) override;
  /// Gives away what nobody closed.
  void finish();

 private:
  struct Family {
    WorkSession work;
    std::size_t open = 0;
  };
  std::string policy_;
  Take take_;
  std::map<std::string, std::pair<std::string, std::string>> facts_;
  std::map<std::string, std::shared_ptr<Family>> family_of_;
};

}  // namespace toktier::replay
