#pragma once
// What a session holds, for stores: leaves that are shared with the session and its forks and never
// change while anyone else holds them, and which part of the text each belongs to.
//
// A State may be copied to and read by any thread. The ids of its leaves are those of the whole
// document, so leaves taken from the middle are no document; those up to some leaf are one only
// after Session::rewind() to a byte inside the last of them (whose end was no end when it was
// encoded). At the end of a run, or of given ids, a document may end as it is: what stands behind
// has no part in the encoding.

#include "session/row.hpp"
#include "toktier/session.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::session {

struct State {
  struct Mark {
    std::size_t end = 0;  // bytes of the run
    bool trusted = true;
    std::uint32_t label = 0;
  };
  struct Leaf {
    std::shared_ptr<const Rope::Block> block;  // of a run of text; or
    std::shared_ptr<const Row::Given> given;   // ids, decoded
    bool begins = false;                       // the first block of its run

    std::size_t bytes() const { return block ? block->bytes : given->bytes; }
    std::size_t tokens() const { return block ? block->ids.size() : given->ids.size(); }
    std::string_view text() const { return block ? block->text : given->text; }
    /// The same as long as the leaf lives.
    const void* identity() const {
      return block ? static_cast<const void*>(block.get()) : given.get();
    }
    /// Bytes of memory, about.
    std::size_t memory() const;
  };

  std::vector<Leaf> leaves;              // none empty
  std::vector<std::vector<Mark>> marks;  // of each run, in order
  std::uint32_t label = 0;               // Session::begin_part()
  bool fresh = false;

  std::size_t bytes() const;
  std::size_t tokens() const;
  /// Bytes before the first untrusted or given part: up to there the ids are those of the text
  /// alone.
  std::size_t plain_bytes() const;
  static std::size_t plain_bytes_of(const std::vector<Mark>& run);
  void append_text(std::size_t begin, std::size_t end, std::string& out) const;
  /// Length of the longest common prefix of the text and `other`.
  std::size_t common_prefix(std::string_view other) const;
  /// Keeps whole leaves, as few as hold the first `bytes` bytes and one more; or all.
  void keep_front(std::size_t bytes);
  /// Cuts the marks to those of the leaves that are there.
  void fit_marks();
};

/// The door of Session for stores.
class StateAccess {
 public:
  static State state(const Session& session);
  static const SessionOptions& options(const Session& session);
  static const encode::Pipeline& pipeline(const Session& session);
  static const TokenizerInfo& info(const Session& session);
  /// A session that holds `state`, whose patches apply to its snapshot(). The options keep the
  /// text. Statistics begin at 0.
  static Session session(const Tokenizer& tokenizer, const SessionOptions& options,
                         const State& state);
};

}  // namespace toktier::session
