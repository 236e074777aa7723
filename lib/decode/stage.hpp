#pragma once
// One step of a decoder chain in streaming form.
//
// A chain rewrites a list of token texts; the reference runs each step over the whole list. Here
// each step takes events - text() any number of times and end_token() for every token, finish() at
// the end of the list - and sends events to the next, as soon as they can no longer change. Text
// always comes in whole characters. Joining the texts that leave the last step gives the decoded
// text, whatever the cuts in time. A stage serves one stream.

#include "model/spec.hpp"

#include <memory>
#include <string_view>

namespace toktier::decode {

class Stage {
 public:
  explicit Stage(Stage* next) : next_(next) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  virtual ~Stage() = default;

  virtual void text(std::string_view part) = 0;
  virtual void end_token() = 0;
  /// The list is complete. The stage is as new afterwards.
  virtual void finish() = 0;
  /// Bytes held back now.
  virtual std::size_t held() const { return 0; }

 protected:
  Stage* next() const { return next_; }
  void send_token(std::string_view whole) const {
    if (!whole.empty()) next_->text(whole);
    next_->end_token();
  }

 private:
  Stage* next_;
};

/// Throws Error{unsupported} for a step that this library cannot run, naming it; `where` is the
/// file.
std::unique_ptr<Stage> make_stage(const model::Decoder& step, Stage* next,
                                  const std::string& where);
/// Joins tokens with blanks: what the reference does without a decoder.
std::unique_ptr<Stage> make_blank_join_stage(Stage* next);

/// The bytes that a token text stands for in the GPT-2 byte alphabet; the text itself when some
/// character is not in the alphabet. Appends to `out`.
void append_byte_level(std::string_view token, std::string& out);

}  // namespace toktier::decode
