#include "replay/series_joiner.hpp"

#include <algorithm>

namespace toktier::replay {

void SeriesJoiner::finish() {
  if (!current_.key.empty()) next_.close(current_.key);
  current_ = {};
  context_.clear();
}

void SeriesJoiner::open(const Session& session) {
  if (session.series.empty()) {
    next_.open(session);
  } else {
    waiting_[session.key] = session;
  }
}

void SeriesJoiner::begin(const Session& session, Step&& snapshot) {
  finish();
  current_ = session;
  context_ = snapshot.messages;
  next_.open(session);
  for (std::size_t i = 0; i < context_.size(); ++i) {
    Step step;
    step.time_ms = snapshot.time_ms;
    step.line = snapshot.line;
    step.messages.push_back(std::move(snapshot.messages[i]));
    if (i + 1 == context_.size()) {
      step.call = snapshot.call;
      step.usage = snapshot.usage;
    }
    next_.step(session.key, std::move(step));
  }
}

void SeriesJoiner::step(const std::string& key, Step&& step) {
  const auto waiting = waiting_.find(key);
  if (waiting == waiting_.end()) {
    next_.step(key, std::move(step));
    return;
  }
  const Session session = waiting->second;
  waiting_.erase(waiting);
  ++counts_.snapshots;
  const std::size_t shorter = std::min(context_.size(), step.messages.size());
  std::size_t common = 0;
  while (common < shorter && context_[common] == step.messages[common]) ++common;
  if (!join_ || current_.series != session.series || common < 2) {
    begin(session, std::move(step));
    return;
  }
  joined_.insert(key);
  const bool strict = common == context_.size();
  ++(strict ? counts_.strict_appends : counts_.rewrites);
  context_ = step.messages;
  step.op = strict ? Op::append : Op::rewind;
  step.keep = strict ? 0 : common;
  step.messages.erase(step.messages.begin(),
                      step.messages.begin() + static_cast<std::ptrdiff_t>(common));
  next_.step(current_.key, std::move(step));
}

void SeriesJoiner::close(const std::string& key) {
  if (key == current_.key) return;     // goes on with the next file of the series, perhaps
  if (joined_.erase(key) > 0) return;  // its steps are in that session
  const auto waiting = waiting_.find(key);
  if (waiting != waiting_.end()) {  // a session without steps
    next_.open(waiting->second);
    waiting_.erase(waiting);
  }
  next_.close(key);
}

}  // namespace toktier::replay
