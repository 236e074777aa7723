#include "replay/work_session.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <set>

namespace toktier::replay {

void WorkCollector::describe(const std::string& key, const std::string& file,
                             const std::string& format) {
  facts_[key] = {file, format};
}

void WorkCollector::step(const WorkStep& step) {
  const bool begins = step.op == WorkOp::open || step.op == WorkOp::fork;
  const auto known = family_of_.find(step.op == WorkOp::fork ? step.from : step.session);
  std::shared_ptr<Family> family;
  if (known != family_of_.end()) family = known->second;
  if (!family && step.op != WorkOp::open) {
    throw Error(ErrorCode::internal,
                fmt::format("{} of session '{}': no such session", name_of(step.op), step.session));
  }
  if (step.op == WorkOp::open) {
    family = std::make_shared<Family>();
    family->work.key = step.session;
    family->work.policy = policy_;
    if (const auto facts = facts_.find(step.session); facts != facts_.end()) {
      family->work.file = facts->second.first;
      family->work.format = facts->second.second;
      facts_.erase(facts);
    }
  }
  if (begins) {
    family_of_[step.session] = family;
    ++family->open;
  }
  family->work.steps.push_back(step);
  if (step.op != WorkOp::close) return;
  family_of_.erase(step.session);
  if (--family->open == 0) take_(std::move(family->work));
}

void WorkCollector::finish() {
  std::set<Family*> given;
  for (const auto& [key, family] : family_of_)
    if (given.insert(family.get()).second) take_(std::move(family->work));
  family_of_.clear();
}

}  // namespace toktier::replay
