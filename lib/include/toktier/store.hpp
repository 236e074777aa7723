#pragma once
// A store of sessions: by name, or by what their text begins with; in memory, or in a file that
// outlives the process.
//
// Contract: a session that comes out of a store has the ids that a session fed with its text has
// now. What may differ is who made a record: the tokenizer's fingerprint, the reference engine, its
// Unicode version, the session's options, the revision of this library's encoding. All stand in the
// record, and another one's record is a miss. A file is not trusted: every record carries a
// checksum over all of it and is checked in structure, and a stretch of it is encoded again
// (StoreOptions::recheck_bytes). Whatever fails is a counted miss, never other ids.
//
// In a file (SQLite, write-ahead log, synchronous=FULL) what put() or drop() has done when it
// returns survives the end of the process and a loss of power; a call that throws has changed
// nothing. Several processes may use one file.
//
// Cost: put() of a session that was put or got before writes the blocks that changed since (at most
// 16 KB of text and their ids at an append, and a few pages), and reads some 40 bytes for each
// block. Memory: blocks are shared with the sessions put and got.
//
// Threads: all calls may be made from any thread; each waits for the one before. A Session passed
// in is not used by another thread meanwhile. Lifetime: sessions outlive the store they came from.
// Sessions without kept text (SessionOptions::keep_text) are refused: Error{usage}.

#include "toktier/session.hpp"
#include "toktier/tokenizer.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier {

struct StoreOptions {
  /// The file; empty: in memory.
  std::string path;
  /// Most bytes that records may hold together, blocks that several share counted once. Those least
  /// recently put or got go first. 0: nothing is kept.
  std::uint64_t budget_bytes = std::uint64_t{1} << 30;
  /// Records that were not put or got for so long are gone. 0: they stay.
  std::chrono::milliseconds ttl{0};
  /// Bytes of text that are encoded again, somewhere in the text, when a record is read from a
  /// file; a difference is a corrupt record. 0: none. Not done where an encoder cannot begin in the
  /// middle (Session::refusal()).
  std::size_t recheck_bytes = 4096;
  /// Milliseconds since some fixed time; absent: the system's clock.
  std::function<std::int64_t()> clock;
};

/// What a store has done since it was opened; each counter only grows, but for the last two.
struct StoreCounters {
  std::uint64_t puts = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses() const { return absent + expired + evicted + foreign + corrupt + format; }
  // Misses, by reason. Which names have expired or been evicted is remembered for the last 4096.
  std::uint64_t absent = 0;
  std::uint64_t expired = 0;
  std::uint64_t evicted = 0;
  std::uint64_t foreign = 0;  ///< made by another tokenizer, engine, or with other options
  std::uint64_t corrupt = 0;
  std::uint64_t format = 0;  ///< written in another form than this library reads
  // Records removed.
  std::uint64_t records_expired = 0;
  std::uint64_t records_evicted = 0;
  std::uint64_t entries = 0;  ///< records there are
  std::uint64_t bytes = 0;    ///< what they hold
};

struct StoredSession {
  std::string name;
  std::uint64_t bytes = 0;   ///< of text
  std::uint64_t tokens = 0;  ///< without the post-processor's
  std::int64_t used = 0;     ///< by StoreOptions::clock: last put or got
  std::string fingerprint;   ///< of the tokenizer
  std::string options;       ///< of the session, in words
};

/// A session whose text begins as the one asked for.
struct FoundSession {
  Session session;  ///< its text is the first `bytes` bytes of the text asked for
  std::size_t bytes;
  std::string name;  ///< of the record it was taken from
};

class SessionStore {
 public:
  /// Opens or makes the file. Throws Error{input} for a file that is something else or damaged,
  /// Error{unsupported} for one of a newer form, Error{unavailable} when it cannot be opened.
  explicit SessionStore(StoreOptions options = {});
  SessionStore(SessionStore&&) noexcept;
  SessionStore& operator=(SessionStore&&) noexcept;
  ~SessionStore();

  /// Stores the session as it is now, in place of what had this name. False, and nothing has this
  /// name: it alone is larger than the budget. Throws Error{unavailable}, naming the file, when
  /// there is no room to write or the file cannot be written; what was stored before stays.
  bool put(std::string_view name, const Session& session);
  /// An independent session; patches of it apply to its snapshot().
  std::optional<Session> get(std::string_view name, const Tokenizer& tokenizer,
                             const SessionOptions& options = {});
  /// A session at the longest prefix of `text` that a record begins with, ready for
  /// update(text). Found by hashes of stretches of 4096 bytes, each chained with those before, then
  /// compared byte by byte: shorter prefixes are not found, and of records that agree up to the
  /// last whole stretch the 16 latest made are compared. Untrusted and sampled parts, and what
  /// stands behind them, are not looked at.
  std::optional<FoundSession> find(std::string_view text, const Tokenizer& tokenizer,
                                   const SessionOptions& options = {});
  /// False: there was none.
  bool drop(std::string_view name);
  /// Removes what has expired and what is over the budget; put() and find() do it as well.
  void trim();
  /// By name. A record that cannot be read is not listed.
  std::vector<StoredSession> list();
  StoreCounters counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier
