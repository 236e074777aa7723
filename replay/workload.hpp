#pragma once
// Workloads: what a server is asked to do with the texts of sessions, step by step. Value types.
//
// A session has one text, the prompt so far. Positions are bytes of that text and never inside a
// character. Whoever carries out the steps in order has the text that the step's `bytes` counts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toktier::replay {

enum class WorkOp : std::uint8_t {
  open,     ///< a new session whose text is `text`
  append,   ///< `text` follows
  edit,     ///< bytes [begin, end) become `text`
  replace,  ///< the text is now `text`, whatever it was
  rewind,   ///< only the first `begin` bytes stay
  fork,     ///< a new session with the first `begin` bytes of session `from`, then `text`
  close,
};
std::string_view name_of(WorkOp op);

struct WorkStep {
  std::string session;  ///< key, unique among the sessions that are open
  WorkOp op = WorkOp::append;
  std::string text;
  std::uint64_t begin = 0, end = 0;
  std::string from;
  std::uint64_t bytes = 0;  ///< of the session's text after the step
  std::uint64_t turn = 0;   ///< from 1; the call before which or by which the step happens
  bool prompt = false;      ///< after this step the model is called on the text
  std::optional<std::int64_t> time_ms;  ///< when the transcript has it; of the trace's own clock
};

class WorkSink {
 public:
  virtual ~WorkSink() = default;
  virtual void step(const WorkStep& step) = 0;
};

}  // namespace toktier::replay
