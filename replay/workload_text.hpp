#pragma once
// Carries out workload steps on plain texts: the model of what every session's text is.

#include "replay/workload.hpp"

#include <map>
#include <string>

namespace toktier::replay {

/// Not thread-safe. Error{internal} for a step that cannot be: an unknown or open session, a
/// position outside the text or inside a character, a wrong number of bytes afterwards.
class WorkloadText : public WorkSink {
 public:
  void step(const WorkStep& step) override;
  /// Null when no session of that key is open.
  const std::string* find(const std::string& session) const;
  std::size_t open_sessions() const { return texts_.size(); }

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace toktier::replay
