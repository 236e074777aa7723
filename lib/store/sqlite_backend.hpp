#pragma once
// Records in a file. The tables are in sqlite_schema.hpp.

#include "store/backend.hpp"
#include "store/known_leaves.hpp"
#include "store/record_rows.hpp"
#include "store/sqlite.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace toktier::store {

class SqliteBackend final : public Backend {
 public:
  SqliteBackend(const std::string& path, const Limits& limits);

  bool put(std::string_view name, const Maker& maker, const session::State& state,
           Time now) override;
  std::variant<session::State, Miss> get(std::string_view name, const Asker& asker,
                                         Time now) override;
  std::variant<Found, Miss> find(std::string_view text, const Asker& asker, Time now) override;
  bool drop(std::string_view name) override;
  void trim(Time now) override;
  std::vector<StoredSession> list(Time now) override;
  bool durable() const override { return true; }
  void count(StoreCounters& counters) override;

 private:
  /// Leaves and how many more (or fewer) parts name them.
  using Uses = std::map<std::int64_t, std::int64_t>;
  struct Placed {  // a leaf written in a transaction that may yet fail
    session::State::Leaf leaf;
    std::int64_t row;
    Digest digest;
    std::int64_t size;
  };
  struct Candidate {
    RecordRow record;
    std::vector<PartRow> parts;
    session::State marks;  // without leaves
    std::size_t plain = 0;
  };

  Statement& sql(const char* text);

  // Reading, sqlite_reading.cpp.
  std::optional<RecordRow> record(Statement::Run run);
  std::optional<RecordRow> record_of(std::string_view name);
  std::vector<PartRow> parts_of(std::int64_t record);
  std::optional<session::State::Leaf> leaf(const PartRow& part, const encode::Pipeline& pipeline);
  std::optional<session::State> load(const RecordRow& record, const encode::Pipeline& pipeline);
  std::optional<Candidate> candidate(RecordRow record);
  std::optional<std::size_t> common_prefix(const Candidate& candidate, std::string_view text,
                                           std::size_t from, const encode::Pipeline& pipeline);
  std::optional<Found> front_of(Candidate& candidate, std::string_view text, std::size_t bytes,
                                const encode::Pipeline& pipeline);
  std::variant<Found, Miss> search(std::string_view text, const Asker& asker,
                                   std::vector<std::int64_t>& damaged, std::int64_t& used);
  Miss why_gone(std::string_view name);

  // Writing, sqlite_writing.cpp: inside a transaction.
  std::int64_t maker_row(const Maker& maker);
  std::int64_t next_tick(Time now);
  std::int64_t write_leaf(const std::string& payload);
  void write_record(RecordRow& record, bool is_new);
  void write_chain(std::int64_t record, const Maker& maker, const session::State& state,
                   std::size_t same_bytes);
  void add_to_total(std::int64_t bytes);
  void apply(const Uses& uses);
  void remove(std::int64_t record, std::int64_t size);
  void remember(std::string_view name, Miss why);
  void remove_expired(Time now);
  void evict();
  bool put_in_transaction(std::string_view name, const Maker& maker, const session::State& state,
                          Time now, std::vector<Placed>& placed);

  // Outside one; what fails is left undone.
  void discard(std::int64_t record);
  void expire_quietly(Time now);
  void touch(std::int64_t record, Time now);
  bool expired(std::int64_t used, Time now) const;

  std::string path_;
  Limits limits_;
  std::unique_ptr<Database> database_;
  std::unordered_map<std::string_view, std::unique_ptr<Statement>> statements_;
  KnownLeaves known_;
  std::uint64_t expired_ = 0, evicted_ = 0;
};

}  // namespace toktier::store
