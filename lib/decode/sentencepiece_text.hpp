#pragma once
// The SentencePiece engine's own way from pieces to text (0.2.3), in streaming form.
//
// Control pieces are invisible; the unknown piece has its own surface; the first space marks go
// when the model adds a dummy prefix (one) or removes extra white space (all at the begin of the
// text); byte pieces join to characters, each byte that is in no character becoming U+FFFD. Holds
// back at most three bytes. Serves one stream.

#include "model/spec.hpp"

#include <string>
#include <string_view>

namespace toktier::decode {

class SentencePieceText {
 public:
  explicit SentencePieceText(const model::DecSentencePiece& rules) : rules_(rules) {}
  /// Appends to `out` what can no longer change. `piece` is the piece's text.
  void push(std::string_view piece, model::PieceType type, std::string& out);
  /// Appends what is held; as new afterwards.
  void finish(std::string& out);
  std::size_t held() const { return bytes_.size(); }

 private:
  void push_byte(char byte, std::string& out);
  void end_bytes(std::string& out);
  void drain(bool complete, std::string& out);

  model::DecSentencePiece rules_;
  std::string bytes_;      // of byte pieces, not yet given out
  bool any_text_ = false;  // something was given out or is sure to be
  bool at_begin_ = true;
};

}  // namespace toktier::decode
