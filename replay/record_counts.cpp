#include "replay/record_counts.hpp"

namespace toktier::replay {

std::uint64_t RecordCounts::ByFormat::unknown() const {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : records)
    if (kind.second == Use::unknown) sum += count;
  return sum;
}

void RecordCounts::open(const Session& session) {
  ++sessions_;
  ++by_format_[session.format].sessions;
  format_of_[session.key] = session.format;
  next_.open(session);
}

void RecordCounts::step(const std::string& key, Step&& step) {
  ByFormat& counts = by_format_[format_of_[key]];
  ++counts.steps;
  counts.messages += step.messages.size();
  next_.step(key, std::move(step));
}

void RecordCounts::close(const std::string& key) {
  format_of_.erase(key);
  next_.close(key);
}

void RecordCounts::problem(const Problem& problem) {
  ++problems_;
  next_.problem(problem);
}

void RecordCounts::record(std::string_view format, std::string_view kind, Use use) {
  ++by_format_[std::string(format)].records[{std::string(kind), use}];
  next_.record(format, kind, use);
}

void RecordCounts::file_done(const std::string& file, std::string_view format) {
  ++files_;
  if (format.empty()) {
    ++unrecognised_;
  } else {
    ++by_format_[std::string(format)].files;
  }
  next_.file_done(file, format);
}

}  // namespace toktier::replay
