#include "replay/workload_fan.hpp"

#include "toktier/error.hpp"

namespace toktier::replay {

WorkloadFan::WorkloadFan(const std::vector<std::string>& policies,
                         const ChatTemplate& chat_template, const WorkloadOptions& options,
                         const WorkCollector::Take& take) {
  for (const std::string& policy : policies) {
    WorkloadOptions own = options;
    own.mutation = policy;
    lanes_.push_back(std::make_unique<Lane>(chat_template, own, take));
  }
  if (lanes_.empty()) throw Error(ErrorCode::usage, "no policy to make workloads by");
}

void WorkloadFan::open(const Session& session) {
  for (const auto& lane : lanes_) {
    lane->collector.describe(session.key, session.file, session.format);
    lane->maker.open(session);
  }
}

void WorkloadFan::step(const std::string& key, Step&& step) {
  for (std::size_t i = 0; i + 1 < lanes_.size(); ++i) lanes_[i]->maker.step(key, Step(step));
  lanes_.back()->maker.step(key, std::move(step));
}

void WorkloadFan::close(const std::string& key) {
  for (const auto& lane : lanes_) lane->maker.close(key);
}

}  // namespace toktier::replay
