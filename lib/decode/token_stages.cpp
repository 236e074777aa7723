#include "decode/token_stages.hpp"

#include "decode/text_stages.hpp"
#include "decode/utf8_assembler.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <array>
#include <optional>

namespace toktier::decode {

namespace {

// ---- the GPT-2 byte alphabet
// --------------------------------------------------------------------------------- Printable
// Latin-1 stands for itself; the other 68 bytes take U+0100.. in order.
constexpr std::size_t kByteAlphabetEnd = 0x144;

std::array<std::int16_t, kByteAlphabetEnd> make_byte_of_char() {
  std::array<std::int16_t, kByteAlphabetEnd> table{};
  table.fill(-1);
  std::size_t next = 0x100;
  for (std::size_t b = 0; b < 256; ++b) {
    const bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
    table[printable ? b : next++] = static_cast<std::int16_t>(b);
  }
  return table;
}

/// A step that collects a token and handles it when it is complete.
class TokenStage : public Stage {
 public:
  using Stage::Stage;
  void text(std::string_view part) override { token_ += part; }
  void end_token() override {
    std::string token;
    token.swap(token_);
    take(token);
  }
  void finish() override {
    close();
    next()->finish();
  }
  std::size_t held() const override { return token_.size(); }

 protected:
  virtual void take(std::string& token) = 0;
  virtual void close() {}

 private:
  std::string token_;
};

class ByteLevelStage : public TokenStage {
 public:
  using TokenStage::TokenStage;
  std::size_t held() const override { return TokenStage::held() + assembler_.held(); }

 protected:
  void take(std::string& token) override {
    std::string bytes;
    append_byte_level(token, bytes);
    std::string out;
    assembler_.push(bytes, out);
    if (!out.empty()) next()->text(out);
  }
  void close() override {
    std::string out;
    assembler_.finish(out);
    send_token(out);  // all tokens became one, even when there was none
  }

 private:
  Utf8Assembler assembler_{true};
};

/// The value of "<0xHH>" as the reference parses it (a plus sign may stand for the first digit).
std::optional<unsigned char> byte_token(std::string_view token) {
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token[5] != '>') return std::nullopt;
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  const int high = token[3] == '+' ? 0 : digit(token[3]);
  const int low = digit(token[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<unsigned char>(high * 16 + low);
}

/// A run of byte tokens is one text when all of it is UTF-8, else U+FFFD for EACH of its bytes. So
/// a run that is well-formed so far has to be held until it ends; once broken, nothing is held.
class ByteFallbackStage : public TokenStage {
 public:
  using TokenStage::TokenStage;
  std::size_t held() const override { return TokenStage::held() + run_.size(); }

 protected:
  void take(std::string& token) override {
    const std::optional<unsigned char> byte = byte_token(token);
    if (!byte) {
      end_run();
      send_token(token);
      return;
    }
    if (broken_) {
      send_token(kReplacement);
      return;
    }
    run_ += static_cast<char>(*byte);
    if (machine_.take(*byte) == Utf8Machine::Step::invalid) {
      broken_ = true;
      replace_run();
    }
  }
  void close() override { end_run(); }

 private:
  void replace_run() {
    for (std::size_t i = 0; i < run_.size(); ++i) send_token(kReplacement);
    run_.clear();
  }
  void end_run() {
    if (machine_.open()) replace_run();
    if (!run_.empty()) send_token(run_);
    run_.clear();
    broken_ = false;
    machine_.reset();
  }
  std::string run_;
  Utf8Machine machine_;
  bool broken_ = false;
};

std::string clean_up(std::string text) {
  static constexpr std::array<std::array<std::string_view, 2>, 11> kRules{{{" .", "."},
                                                                           {" ?", "?"},
                                                                           {" !", "!"},
                                                                           {" ,", ","},
                                                                           {" ' ", "'"},
                                                                           {" n't", "n't"},
                                                                           {" 'm", "'m"},
                                                                           {" do not", " don't"},
                                                                           {" 's", "'s"},
                                                                           {" 've", "'ve"},
                                                                           {" 're", "'re"}}};
  if (text.find(' ') == std::string::npos) return text;
  for (const auto& [from, to] : kRules) text = replace_all(text, from, to);
  return text;
}

class WordPieceStage : public TokenStage {
 public:
  WordPieceStage(model::DecWordPiece step, Stage* next)
      : TokenStage(next), step_(std::move(step)) {}

 protected:
  void take(std::string& token) override {
    if (!first_) {
      if (std::string_view(token).substr(0, step_.prefix.size()) == step_.prefix) {
        token.erase(0, step_.prefix.size());
      } else {
        token.insert(0, 1, ' ');
      }
    }
    first_ = false;
    send_token(step_.cleanup ? clean_up(std::move(token)) : token);
  }
  void close() override { first_ = true; }

 private:
  model::DecWordPiece step_;
  bool first_ = true;
};

/// The suffix becomes a blank in every token but the last, so one token is held.
class BpeStage : public TokenStage {
 public:
  BpeStage(model::DecBpe step, Stage* next) : TokenStage(next), suffix_(std::move(step.suffix)) {}
  std::size_t held() const override {
    return TokenStage::held() + (waiting_ ? waiting_->size() : 0);
  }

 protected:
  void take(std::string& token) override {
    if (waiting_) send_token(replace_all(*waiting_, suffix_, " "));
    waiting_ = std::move(token);
  }
  void close() override {
    if (waiting_) send_token(replace_all(*waiting_, suffix_, ""));
    waiting_.reset();
  }

 private:
  std::string suffix_;
  std::optional<std::string> waiting_;
};

class CtcStage : public TokenStage {
 public:
  CtcStage(model::DecCtc step, Stage* next) : TokenStage(next), step_(std::move(step)) {}

 protected:
  void take(std::string& token) override {
    if (previous_ && *previous_ == token) return;
    std::string text = replace_all(token, step_.pad_token, "");
    if (step_.cleanup)
      text = replace_all(clean_up(std::move(text)), step_.word_delimiter_token, " ");
    previous_ = std::move(token);
    if (!text.empty()) send_token(text);
  }
  void close() override { previous_.reset(); }

 private:
  model::DecCtc step_;
  std::optional<std::string> previous_;
};

}  // namespace

void append_byte_level(std::string_view token, std::string& out) {
  static const std::array<std::int16_t, kByteAlphabetEnd> kByteOfChar = make_byte_of_char();
  const std::size_t begin = out.size();
  for (std::size_t at = 0; at < token.size();) {
    const auto lead = static_cast<unsigned char>(token[at]);
    const std::uint32_t length = unicode::sequence_length(lead);
    std::int16_t byte = -1;
    if (length <= 2 && at + length <= token.size() && (length == 2) == (lead >= 0x80)) {
      const char32_t c = unicode::decode(token.data() + at).code_point;
      if (c < kByteAlphabetEnd) byte = kByteOfChar[c];
    }
    if (byte < 0) {
      out.resize(begin);
      out += token;
      return;
    }
    out += static_cast<char>(byte);
    at += length;
  }
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t at = 0;
  if (from.empty()) {
    while (at < text.size()) {
      const std::size_t length = std::min<std::size_t>(
          unicode::sequence_length(static_cast<unsigned char>(text[at])), text.size() - at);
      out += to;
      out += text.substr(at, length);
      at += length;
    }
    return out += to;
  }
  for (;;) {
    const std::size_t found = text.find(from, at);
    if (found == std::string_view::npos) return out += text.substr(at);
    out += text.substr(at, found - at);
    out += to;
    at = found + from.size();
  }
}

std::unique_ptr<Stage> make_byte_level_stage(Stage* next) {
  return std::make_unique<ByteLevelStage>(next);
}
std::unique_ptr<Stage> make_byte_fallback_stage(Stage* next) {
  return std::make_unique<ByteFallbackStage>(next);
}
std::unique_ptr<Stage> make_wordpiece_stage(const model::DecWordPiece& step, Stage* next) {
  return std::make_unique<WordPieceStage>(step, next);
}
std::unique_ptr<Stage> make_bpe_stage(const model::DecBpe& step, Stage* next) {
  return std::make_unique<BpeStage>(step, next);
}
std::unique_ptr<Stage> make_ctc_stage(const model::DecCtc& step, Stage* next) {
  return std::make_unique<CtcStage>(step, next);
}

namespace {

struct StageMaker {
  Stage* next;
  const std::string& where;
  std::unique_ptr<Stage> operator()(const model::DecByteLevel&) const {
    return make_byte_level_stage(next);
  }
  std::unique_ptr<Stage> operator()(const model::DecByteFallback&) const {
    return make_byte_fallback_stage(next);
  }
  std::unique_ptr<Stage> operator()(const model::DecFuse&) const { return make_fuse_stage(next); }
  std::unique_ptr<Stage> operator()(const model::DecReplace& step) const {
    return make_replace_stage(step, next, where);
  }
  std::unique_ptr<Stage> operator()(const model::DecStrip& step) const {
    return make_strip_stage(step, next, where);
  }
  std::unique_ptr<Stage> operator()(const model::DecMetaspace& step) const {
    return make_metaspace_stage(step, next);
  }
  std::unique_ptr<Stage> operator()(const model::DecWordPiece& step) const {
    return make_wordpiece_stage(step, next);
  }
  std::unique_ptr<Stage> operator()(const model::DecBpe& step) const {
    return make_bpe_stage(step, next);
  }
  std::unique_ptr<Stage> operator()(const model::DecCtc& step) const {
    return make_ctc_stage(step, next);
  }
  std::unique_ptr<Stage> operator()(const model::DecRawBytes&) const { return refuse("RawBytes"); }
  std::unique_ptr<Stage> operator()(const model::DecSentencePiece&) const {
    return refuse("SentencePiece");
  }
  std::unique_ptr<Stage> refuse(const char* name) const {
    throw Error(ErrorCode::unsupported, std::string(name) + " inside a chain of decoders",
                where + ": decoder");
  }
};

}  // namespace

std::unique_ptr<Stage> make_stage(const model::Decoder& step, Stage* next,
                                  const std::string& where) {
  return std::visit(StageMaker{next, where}, step);
}

}  // namespace toktier::decode
