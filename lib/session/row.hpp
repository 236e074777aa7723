#pragma once
// A document of parts: runs of text, and between them ids that are kept as given.
//
// A run is a maximal row of text parts, trusted or not; it is a Document. What stands beside it,
// ids or nothing, has no part in its encoding. Sections are numbered by bytes and tokens of what
// stands before them; the text of given ids is what the decoder gives for them.
//
// Runs and ids are shared between rows and copied when one of several owners changes them. A row is
// used by one thread at a time.

#include "decode/decoder.hpp"
#include "session/document.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::session {

struct State;

class Row {
 public:
  /// Ids that are kept as given.
  struct Given {
    std::vector<TokenId> ids;
    std::uint32_t label = 0;
    bool decoded = false;  // the two below are known
    std::size_t bytes = 0;
    std::string text;  // keep_text
  };
  struct Rules {
    bool keep_text = true;
    bool trust = false;  // what is said to be untrusted is; else all text is trusted
  };
  /// The pipeline must outlive this and every copy.
  Row(const encode::Pipeline& pipeline, std::shared_ptr<const added::SpecialFilter> filter,
      Rules rules, Grain grain = {})
      : pipeline_(&pipeline), filter_(std::move(filter)), grain_(grain), rules_(rules) {}

  Change append(std::string_view text, bool trusted, encode::EncodeScratch& scratch);
  /// Throws Error{input} for an id that does not exist.
  Change append_sampled(std::span<const TokenId> ids);
  /// Replaces the bytes [begin, end). `trusted`: of the text; nothing: as what stood there (see
  /// Session::edit()). `around.left`, `around.right`: of the whole row. Throws Error{usage} for a
  /// border inside given ids or a character.
  Change edit(std::size_t begin, std::size_t end, std::string_view text,
              std::optional<bool> trusted, encode::EncodeScratch& scratch,
              const Around& around = {});
  Change update(std::string_view full, encode::EncodeScratch& scratch);
  Change rewind(std::size_t bytes, encode::EncodeScratch& scratch, std::string_view before = {});
  void begin_part(std::uint32_t label) {
    label_ = label;
    fresh_ = true;
  }

  std::size_t bytes() const;
  std::size_t tokens() const;
  void append_text(std::string& out) const;  // keep_text
  void append_ids(std::vector<TokenId>& out) const;
  std::vector<PartRange> part_ranges(encode::EncodeScratch& scratch) const;
  Drift drift(encode::EncodeScratch& scratch) const;  // keep_text
  std::size_t text_needed(std::size_t bytes) const;

  /// Works out what is put off, so that copies may go to other threads.
  void settle() const;
  void clear();
  /// For stores (state.cpp). What restore() is given is not read by other threads at the time.
  State state() const;
  void restore(const State& state);
  std::size_t memory() const;
  SessionStatistics statistics;

 private:
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
  struct Mark {
    std::size_t end = 0;  // bytes of the run
    bool trusted = true;
    std::uint32_t label = 0;
    std::size_t tokens = kUnknown;  // before `end`; only where text is not kept, not for the last
  };
  struct Run {
    explicit Run(const Document& d) : document(d) {}
    Document document;
    std::vector<Mark> marks;      // of its parts
    std::vector<Span> untrusted;  // the same, as the encoder is told
  };
  struct Section {
    std::shared_ptr<Run> run;      // text, or
    std::shared_ptr<Given> given;  // ids
    std::size_t byte = 0, token = 0;
  };

  std::string decode(std::span<const TokenId> ids) const;
  const Given& decoded(const Section& section) const;
  std::string text_of(const Section& section) const;
  std::size_t bytes_of(const Section& section) const;
  std::size_t end_of(const Section& section) const { return section.byte + bytes_of(section); }
  std::size_t tokens_of(const Section& section) const;
  std::size_t section_at(std::size_t byte) const;
  Run& own_run(std::size_t index);
  void put_run(std::size_t index);
  void number_from(std::size_t index);
  bool safe_trust(std::size_t begin, std::size_t end) const;
  static std::vector<Mark> marks_after(const std::vector<Mark>& left, std::size_t begin,
                                       const std::vector<Mark>& right, std::size_t right_begin,
                                       Mark added, bool same_run);
  Change change_run(std::size_t index, std::size_t begin, std::size_t end, std::string_view text,
                    std::vector<Mark> marks, const Around& around, encode::EncodeScratch& scratch);
  void drain(Run& run);
  [[noreturn]] void refuse_place(std::size_t byte, const char* why) const;

  const encode::Pipeline* pipeline_;
  std::shared_ptr<const added::SpecialFilter> filter_;
  Grain grain_;
  Rules rules_;
  std::uint32_t label_ = 0;
  bool fresh_ = false;             // the next append begins a part
  std::vector<Section> sections_;  // none empty
};

}  // namespace toktier::session
