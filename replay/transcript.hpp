#pragma once
// The neutral model of agent transcripts: sessions, each a sequence of steps on its context.
//
// A session's context is a list of messages. Every step says what happened to that list; nothing
// else is known of a transcript, whatever program wrote it. Texts are UTF-8. Value types.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::replay {

enum class Role : std::uint8_t { system, user, assistant, tool };
std::string_view name_of(Role role);
std::optional<Role> role_named(std::string_view name);

enum class PartKind : std::uint8_t {
  text,
  thinking,     ///< the model's reasoning, where it is kept as text
  tool_call,    ///< `name` and `text` = the arguments as the transcript has them (JSON or plain)
  tool_result,  ///< `text` = what the tool answered
  image,        ///< no text; `name` = media type where known
  tools,        ///< definitions of tools, as JSON, in the message that carries the system prompt
  other,        ///< a kind this program does not know; `name` = that kind, `text` = its JSON
};
std::string_view name_of(PartKind kind);
std::optional<PartKind> part_kind_named(std::string_view name);

struct Part {
  PartKind kind = PartKind::text;
  std::string text;
  std::string name;  ///< of the tool, media type or kind; else empty
  std::string id;    ///< joins a tool_call and its tool_result; may be empty
  friend bool operator==(const Part&, const Part&) = default;
};

/// One item of a transcript: what a person, a model or a tool said at once.
struct Message {
  Role role = Role::user;
  std::vector<Part> parts;
  std::string id;  ///< of the model's response the message belongs to, or its own; may be empty
  friend bool operator==(const Message&, const Message&) = default;
};

/// Tokens as the provider counted them; absent where it did not say.
struct Usage {
  std::optional<std::uint64_t> input, cached, cache_written, output, reasoning;
  friend bool operator==(const Usage&, const Usage&) = default;
};

/// Lengths of one call, for traces that carry no text. Tokens, unless the name says characters.
struct Round {
  std::uint64_t prefix = 0;  ///< tokens of the context that were there before
  std::uint64_t append = 0;  ///< new tokens
  std::uint64_t output = 0;
  std::optional<std::uint64_t> append_chars;
  std::optional<double> wait_ms;  ///< from the answer to the next call
  friend bool operator==(const Round&, const Round&) = default;
};

enum class Op : std::uint8_t {
  append,    ///< `messages` follow the context
  replace,   ///< the context is now `messages`, then its own messages from `keep` on (compaction)
  rewind,    ///< the context is cut to its first `keep` messages, then `messages` follow
  snapshot,  ///< the context is now `messages`, whatever it was: one file or record per call
  round,     ///< a call of which only lengths are known
};
std::string_view name_of(Op op);
std::optional<Op> op_named(std::string_view name);

struct Step {
  Op op = Op::append;
  std::vector<Message> messages;
  std::uint64_t keep = 0;  ///< messages; see Op. Never above the number there are (see Context)
  std::optional<std::int64_t> time_ms;  ///< since 1970-01-01 UTC, or since the trace's own start
  bool call = false;                    ///< the transcript records a model call here
  std::optional<Usage> usage;           ///< of that call
  std::optional<Round> round;           ///< op round
  std::uint64_t line = 0;               ///< where it was read, from 1; 0 = unknown
  friend bool operator==(const Step&, const Step&) = default;
};

struct Session {
  std::string key;     ///< unique within one run of the reader
  std::string id;      ///< as recorded; not unique: files are copied, resumed, forked
  std::string file;    ///< the (first) file it was read from
  std::string format;  ///< name of the row that read it
  std::string model;   ///< as recorded; may be empty
  std::string parent;  ///< id of the session it was forked or branched from, or belongs to
  std::string series;  ///< files of equal series may be calls of one session; empty: none
  friend bool operator==(const Session&, const Session&) = default;
};

/// A model wrote it: a run of such messages is a call's answer.
inline bool from_model(const Message& message) { return message.role == Role::assistant; }

/// Bytes and code points of all texts of a message: its parts' texts, and the names of tools it
/// calls. Nothing is added for roles, ids or templates; definitions of tools are left out, because
/// most transcripts do not record them.
struct Size {
  std::uint64_t bytes = 0, chars = 0;
  Size& operator+=(const Size& other) {
    bytes += other.bytes;
    chars += other.chars;
    return *this;
  }
  friend bool operator==(const Size&, const Size&) = default;
};
Size size_of(const Message& message);

}  // namespace toktier::replay
