#pragma once
// For tests: an engine without a tokenizer. Each byte is a token (id = byte value), pieces are runs
// of equal "is a blank"; a text that begins with "refuse" is refused.

#include "diff/digest.hpp"
#include "diff/engine.hpp"

#include <memory>
#include <string>

namespace toktier::diff::testing {

class ByteEngine final : public Engine {
 public:
  explicit ByteEngine(std::uint32_t parts = kIds | kSpans | kPieces | kDecode) : parts_(parts) {
    identity_.row = identity_.name = "bytes";
    identity_.version = "1";
    identity_.fingerprint = "none";
    identity_.end_id = 256;
  }
  const EngineIdentity& identity() const override { return identity_; }
  std::uint32_t can(const AnswerOptions& options) const override {
    return options.add_special ? 0 : parts_;
  }
  void ask(std::span<const std::string_view> texts, const Question& question) override {
    texts_ = texts;
    question_ = question;
  }
  void receive(std::vector<Answer>& answers) override {
    answers.assign(texts_.size(), {});
    for (std::size_t i = 0; i < texts_.size(); ++i) fill(texts_[i], answers[i]);
  }
  void decode(std::span<const std::vector<TokenId>> lists, std::vector<Decoded>& texts) override {
    texts.assign(lists.size(), {});
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (const TokenId id : lists[i]) texts[i].text += static_cast<char>(id);
    }
  }

 private:
  void fill(std::string_view text, Answer& answer) const {
    if (text.starts_with("refuse")) {
      answer.status = AnswerStatus::refused;
      answer.error = "as told";
      return;
    }
    for (std::uint32_t at = 0; at < text.size(); ++at) {
      answer.ids.push_back(static_cast<unsigned char>(text[at]));
      answer.spans.push_back({at, at + 1});
      const bool same = at > 0 && (text[at] == ' ') == (text[at - 1] == ' ');
      if (same) {
        answer.pieces.back().end = at + 1;
      } else {
        answer.pieces.push_back({at, at + 1});
      }
    }
    answer.id_count = static_cast<std::uint32_t>(answer.ids.size());
    answer.piece_count = static_cast<std::uint32_t>(answer.pieces.size());
    answer.id_digest = digest(answer.ids);
    if (question_.parts & kSpans) answer.span_digest = digest(answer.spans);
    if (question_.parts & kPieces) answer.piece_digest = digest(answer.pieces);
    if (!(question_.parts & kSpans)) answer.spans.clear();
    if (!(question_.parts & kPieces)) answer.pieces.clear();
  }

  std::uint32_t parts_;
  EngineIdentity identity_;
  std::span<const std::string_view> texts_;
  Question question_;
};

}  // namespace toktier::diff::testing
