#include "replay/workload_text.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>

#include <array>

namespace toktier::replay {
namespace {

[[noreturn]] void refuse(const WorkStep& step, std::string_view why) {
  throw Error(ErrorCode::internal,
              fmt::format("{} of session '{}': {}", name_of(step.op), step.session, why));
}

void check_position(const WorkStep& step, const std::string& text, std::uint64_t at) {
  if (at > text.size()) refuse(step, "a position outside the text");
  if (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80)
    refuse(step, "a position inside a character");
}

}  // namespace

std::string_view name_of(WorkOp op) {
  static constexpr std::array<std::string_view, 7> kNames = {"open",   "append", "edit", "replace",
                                                             "rewind", "fork",   "close"};
  return kNames[static_cast<std::size_t>(op)];
}

void WorkloadText::step(const WorkStep& step) {
  if (step.op == WorkOp::open || step.op == WorkOp::fork) {
    if (texts_.count(step.session) > 0) refuse(step, "the session is open already");
    std::string text;
    if (step.op == WorkOp::fork) {
      const std::string* parent = find(step.from);
      if (parent == nullptr) refuse(step, "no such session to fork from");
      check_position(step, *parent, step.begin);
      text = parent->substr(0, step.begin);
    }
    text += step.text;
    if (text.size() != step.bytes) refuse(step, "a wrong number of bytes");
    texts_[step.session] = std::move(text);
    return;
  }
  const auto found = texts_.find(step.session);
  if (found == texts_.end()) refuse(step, "no such session");
  std::string& text = found->second;
  switch (step.op) {
    case WorkOp::append:
      text += step.text;
      break;
    case WorkOp::edit:
      check_position(step, text, step.begin);
      check_position(step, text, step.end);
      if (step.begin > step.end) refuse(step, "an end before its beginning");
      text.replace(step.begin, step.end - step.begin, step.text);
      break;
    case WorkOp::replace:
      text = step.text;
      break;
    case WorkOp::rewind:
      check_position(step, text, step.begin);
      text.resize(step.begin);
      break;
    default:
      texts_.erase(found);
      return;
  }
  if (text.size() != step.bytes) refuse(step, "a wrong number of bytes");
}

const std::string* WorkloadText::find(const std::string& session) const {
  const auto found = texts_.find(session);
  return found == texts_.end() ? nullptr : &found->second;
}

}  // namespace toktier::replay
