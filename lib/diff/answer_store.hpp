#pragma once
// Reference answers kept on disk, so that a later run costs only our own work.
//
// One file per (model fingerprint, engine and version, meaning of its answers, options),
// append-only, holding digests of whole blocks of documents. What cannot be read (cut off, damaged,
// of another form) is a miss and is counted; it can never become an answer, because every record
// carries a checksum. A digest that differs is never believed: the caller asks the engine for the
// full answer. Safe for use by several threads of one process; several processes may share a folder
// (appends are single writes; a torn record is a miss).

#include "diff/digest.hpp"
#include "diff/engine.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace toktier::diff {

class AnswerStore {
 public:
  /// Opens or makes the file in `folder` (made when missing). Error{input} when the folder cannot
  /// be used.
  AnswerStore(const std::string& folder, const EngineIdentity& engine,
              const AnswerOptions& options);
  ~AnswerStore();
  AnswerStore(const AnswerStore&) = delete;
  AnswerStore& operator=(const AnswerStore&) = delete;

  /// Digests of the block with this key when all of `parts` are stored; arrays stay empty.
  bool find(const Key128& key, std::size_t documents, std::uint32_t parts,
            std::vector<Answer>& answers) const;
  /// Keeps the digests of `answers` (a block with a document that died is not kept). I/O errors are
  /// counted, not thrown.
  void add(const Key128& key, std::uint32_t parts, const std::vector<Answer>& answers);

  const std::string& path() const { return path_; }
  std::uint64_t damaged() const { return damaged_; }  // records or tails not understood when opened
  std::uint64_t write_errors() const;

 private:
  struct Record {
    std::uint32_t parts = 0;
    std::string body;
  };
  void load();

  std::string path_;
  int descriptor_ = -1;
  mutable std::mutex mutex_;
  std::map<Key128, Record> records_;
  std::uint64_t damaged_ = 0;
  std::uint64_t write_errors_ = 0;
};

}  // namespace toktier::diff
