#pragma once
// An engine: something that gives answers (ids, spans, pieces, decoded text) for texts. Ours, our
// slow twins and the reference engines in their own processes all look alike to the harness, which
// knows nothing about any of them.
//
// An engine object serves one thread at a time; a campaign makes one per lane.

#include "toktier/tokenizer.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff {

/// Who answered; printed with every verdict. Empty = not known.
struct EngineIdentity {
  std::string row;      // the engine's name in the table: "cpu", "ext:hf"
  std::string name;     // "tokenizers"
  std::string version;  // "0.23.3"
  std::string unicode;  // Unicode version of its tables
  std::string
      fingerprint;   // sha256 of the model file as unpacked, then of its side file if any ("a+b")
  std::string kind;  // kind of model file as the engine sees it
  std::uint32_t end_id = 0;
  /// Version of the meaning of its answers; higher when the same engine and version would be
  /// reported in another way (say, other offsets for a character in two tokens).
  std::uint32_t answers = 1;

  std::string label() const {
    return version.empty() ? row : row + " (" + name + " " + version + ")";
  }
};

/// Options that change answers; the same for both sides of a comparison.
struct AnswerOptions {
  SpecialMode special = SpecialMode::file_default;  // list is not offered: no reference has it
  bool add_special = false;
  bool truncate = false;
  friend bool operator==(const AnswerOptions&, const AnswerOptions&) = default;
  /// Stable text, part of the key of stored answers: "special=default add_special=0 truncate=0".
  std::string text() const;
};

/// Parts of an answer, as a bit set.
enum Parts : std::uint32_t { kIds = 1, kSpans = 2, kPieces = 4, kDecode = 8 };

struct Question {
  AnswerOptions options;
  std::uint32_t parts = kIds;
  /// Digests and counts are enough: the arrays may stay empty.
  bool digest_only = false;
};

enum class AnswerStatus : std::uint8_t {
  ok,
  refused,       // the engine raised an error for this document
  invalid_text,  // not UTF-8, and the engine takes only that
  died,          // the engine's process ended or hung on this document alone
  not_covered,   // a slow twin does not answer for this document; says nothing about it
};

struct Answer {
  AnswerStatus status = AnswerStatus::ok;
  std::string error;
  std::uint32_t id_count = 0;
  std::uint32_t piece_count = 0;
  /// Digests (digest.hpp) of the parts asked for, whatever digest_only says; 0 for the others.
  std::uint64_t id_digest = 0;
  std::uint64_t span_digest = 0;
  std::uint64_t piece_digest = 0;
  std::vector<TokenId> ids;
  std::vector<Span> spans;
  std::vector<Span> pieces;
};

struct Decoded {
  AnswerStatus status = AnswerStatus::ok;
  std::string error;
  std::string text;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineIdentity& identity() const = 0;
  /// Which of `parts` it can answer under these options.
  virtual std::uint32_t can(const AnswerOptions& options) const = 0;

  /// ask() hands over the texts, receive() takes the answers, in order, one per text. The caller
  /// does its own work between the two. The texts must live until receive() returns.
  /// Error{unavailable} when the engine is lost.
  virtual void ask(std::span<const std::string_view> texts, const Question& question) = 0;
  virtual void receive(std::vector<Answer>& answers) = 0;
  virtual void decode(std::span<const std::vector<TokenId>> lists, std::vector<Decoded>& texts) = 0;

  /// How often its process had to be started again so far.
  virtual std::uint64_t restarts() const { return 0; }
};

/// ask() and receive() of a single text with full arrays.
Answer answer_one(Engine& engine, std::string_view text, Question question);

}  // namespace toktier::diff
