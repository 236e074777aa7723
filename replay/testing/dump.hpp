#pragma once
// Sessions as lines of text, for tests. ASCII.

#include "replay/sink.hpp"
#include "report/escape.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

namespace toktier::replay::testing {

inline std::string dump(const Usage& usage) {
  std::string text;
  const auto add = [&text](const char* name, const std::optional<std::uint64_t>& count) {
    if (count) text += fmt::format(" {}={}", name, *count);
  };
  add("input", usage.input);
  add("cached", usage.cached);
  add("cache_written", usage.cache_written);
  add("output", usage.output);
  add("reasoning", usage.reasoning);
  return text;
}

inline std::string dump(const Message& message) {
  std::string text = fmt::format("    {}", name_of(message.role));
  if (!message.id.empty()) text += fmt::format(" ({})", report::escape(message.id));
  for (const Part& part : message.parts) {
    text += fmt::format(" | {} \"{}\"", name_of(part.kind), report::escape(part.text));
    if (!part.name.empty()) text += fmt::format(" name={}", report::escape(part.name));
    if (!part.id.empty()) text += fmt::format(" id={}", report::escape(part.id));
  }
  return text + "\n";
}

inline std::string dump(const Step& step) {
  std::string text(name_of(step.op));
  if (step.op == Op::replace || step.op == Op::rewind) text += fmt::format(" keep={}", step.keep);
  if (step.time_ms) text += fmt::format(" time={}", *step.time_ms);
  if (step.call) text += " call";
  if (step.usage) text += fmt::format(" usage[{}]", dump(*step.usage));
  if (step.round) {
    const Round& r = *step.round;
    text += fmt::format(" round[{}+{}->{}", r.prefix, r.append, r.output);
    if (r.append_chars) text += fmt::format(" chars={}", *r.append_chars);
    if (r.wait_ms) text += fmt::format(" wait={}", *r.wait_ms);
    text += "]";
  }
  text += "\n";
  for (const Message& message : step.messages) text += dump(message);
  return text;
}

/// Writes down everything it is told. Keys are shortened to "#1", "#2", ...; folders are left out.
class DumpSink : public Sink {
 public:
  void open(const Session& session) override {
    names_[session.key] = fmt::format("#{}", names_.size() + 1);
    text_ += fmt::format("open {} id=\"{}\"", names_[session.key], report::escape(session.id));
    if (!session.model.empty()) text_ += fmt::format(" model=\"{}\"", session.model);
    if (!session.parent.empty()) text_ += fmt::format(" parent=\"{}\"", session.parent);
    text_ += "\n";
  }
  void step(const std::string& key, Step&& step) override {
    text_ += fmt::format("{} {}:{}", names_[key], step.line, dump(step));
  }
  void close(const std::string& key) override { text_ += fmt::format("close {}\n", names_[key]); }
  void problem(const Problem& problem) override {
    problems_ += fmt::format("problem {}: {} <{}> {}\n", problem.line, problem.field, problem.value,
                             problem.message);
  }
  void record(std::string_view, std::string_view kind, Use use) override {
    ++records_[fmt::format("{} [{}]", report::escape(kind), name_of(use))];
  }
  void file_done(const std::string& file, std::string_view format) override {
    files_ += fmt::format("file {} {}\n", file.substr(file.rfind('/') + 1),
                          format.empty() ? "(unknown)" : format);
  }

  /// Files, problems, records by kind, then the sessions.
  std::string text() const {
    std::string all = files_ + problems_;
    for (const auto& [kind, count] : records_) all += fmt::format("record {} {}\n", count, kind);
    return all + text_;
  }
  /// The sessions alone.
  const std::string& sessions() const { return text_; }

 private:
  std::map<std::string, std::string> names_;
  std::map<std::string, std::uint64_t> records_;
  std::string text_, problems_, files_;
};

}  // namespace toktier::replay::testing
