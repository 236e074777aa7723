#pragma once
// From transcripts to workloads: messages rendered by a template, prompts shaped by a policy.
//
// Recorded: each message is an append to the session's text; before an answer comes what asks the
// model to go on, and there the model is called. Roll-backs are rewinds, compactions replacements.
// A policy gives whole prompts at the calls; each becomes an edit of the text before it (between
// the longest common prefix and suffix in whole characters) and an append of what is new at its
// end; the answer is an append. A branching policy is the record, where after some answers the
// session is rewound to the call and given the answer again, or forked there with another answer.

#include "replay/chat_template.hpp"
#include "replay/mutation.hpp"
#include "replay/sink.hpp"
#include "replay/workload.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace toktier::replay {

struct WorkloadOptions {
  std::string mutation = "recorded";
  MutationOptions limits;
  std::uint64_t seed = 0;
};

/// Memory: the texts and messages of open sessions. Lengths-only rounds give nothing and are
/// counted. Not thread-safe; template and sink must outlive it.
class WorkloadMaker : public Sink {
 public:
  /// Error{usage} for an unknown mutation.
  WorkloadMaker(WorkSink& out, const ChatTemplate& chat_template, const WorkloadOptions& options);
  ~WorkloadMaker() override;
  std::uint64_t rounds() const { return rounds_; }
  /// The text of an open session as it should be after the step that was given out last (branches
  /// apart, which come back to it); null for others.
  const std::string* text_of(const std::string& key) const;

  void open(const Session& session) override;
  void step(const std::string& key, Step&& step) override;
  void close(const std::string& key) override;
  void problem(const Problem&) override {}
  void record(std::string_view, std::string_view, Use) override {}
  void file_done(const std::string&, std::string_view) override {}

 private:
  struct State;
  void add(State& state, Message message);
  void add_recorded(State& state, const Message& message, bool call);
  void call_on_prompt(State& state);
  void end_of_answer(State& state);
  void cut(State& state, std::uint64_t keep);
  void set_context(State& state, std::vector<Message> messages);
  void emit(State& state, WorkStep&& step);
  void become(State& state, const std::string& text, bool prompt);
  std::uint64_t random_of(const State& state) const;

  WorkSink& out_;
  const ChatTemplate& template_;
  WorkloadOptions options_;
  const MutationRow& row_;
  std::map<std::string, std::unique_ptr<State>> open_;
  std::uint64_t rounds_ = 0;
};

}  // namespace toktier::replay
