#include "store/sqlite_backend.hpp"

#include "store/sqlite_errors.hpp"
#include "store/sqlite_schema.hpp"

namespace toktier::store {

using session::State;

SqliteBackend::SqliteBackend(const std::string& path, const Limits& limits)
    : path_(path), limits_(limits), database_(open_store(path)) {
  try {
    // What the sum is, not what a damaged file says.
    const char* sum =
        "SELECT (SELECT coalesce(sum(size),0) FROM leaf)+(SELECT coalesce(sum(size),0) FROM "
        "record)";
    if (database_->number(sum) == database_->number("SELECT bytes FROM total")) return;
    Transaction all(*database_);
    sql("INSERT OR REPLACE INTO total(id,bytes) VALUES(1,?)").execute(database_->number(sum));
    all.commit();
  } catch (const SqliteFailure& failure) {
    throw opening_error(failure, path_);
  }
}

// Prepared once; `text` is a literal.
Statement& SqliteBackend::sql(const char* text) {
  std::unique_ptr<Statement>& statement = statements_[text];
  if (!statement) statement = std::make_unique<Statement>(*database_, text);
  return *statement;
}

bool SqliteBackend::put(std::string_view name, const Maker& maker, const State& state, Time now) {
  try {
    std::vector<Placed> placed;
    bool kept = false;
    {
      Transaction all(*database_);
      kept = put_in_transaction(name, maker, state, now, placed);
      all.commit();
    }
    for (const Placed& each : placed) known_.add(each.leaf, each.row, each.digest, each.size);
    return kept;
  } catch (const SqliteFailure& failure) {
    throw writing_error(failure, path_);
  }
}

std::variant<State, Miss> SqliteBackend::get(std::string_view name, const Asker& asker, Time now) {
  try {
    std::int64_t id = 0;
    std::optional<State> state;
    {
      const Transaction all(*database_, Transaction::Kind::reads);
      const std::optional<RecordRow> record = record_of(name);
      if (!record) return why_gone(name);
      if (!expired(record->used, now)) {
        if (record->format != kRecordFormat) return Miss::format;
        if (record->maker != asker.maker) return Miss::foreign;
        id = record->id;
        state = load(*record, asker.pipeline);
      }
    }
    if (id == 0) {
      expire_quietly(now);
      return Miss::expired;
    }
    if (!state) {
      discard(id);
      return Miss::corrupt;
    }
    touch(id, now);
    return std::move(*state);
  } catch (const SqliteFailure& failure) {
    if (failure.damaged()) return Miss::corrupt;
    throw reading_error(failure, path_);
  }
}

std::variant<Found, Miss> SqliteBackend::find(std::string_view text, const Asker& asker, Time now) {
  try {
    expire_quietly(now);
    std::vector<std::int64_t> damaged;
    std::int64_t used = 0;
    std::variant<Found, Miss> answer = Miss::absent;
    {
      const Transaction all(*database_, Transaction::Kind::reads);
      answer = search(text, asker, damaged, used);
    }
    for (const std::int64_t id : damaged) discard(id);
    if (std::holds_alternative<Found>(answer)) touch(used, now);
    return answer;
  } catch (const SqliteFailure& failure) {
    if (failure.damaged()) return Miss::corrupt;
    throw reading_error(failure, path_);
  }
}

bool SqliteBackend::drop(std::string_view name) {
  try {
    Transaction all(*database_);
    const std::optional<RecordRow> record = record_of(name);
    if (!record) return false;
    remove(record->id, record->size);
    all.commit();
    return true;
  } catch (const SqliteFailure& failure) {
    throw writing_error(failure, path_);
  }
}

void SqliteBackend::trim(Time now) {
  try {
    Transaction all(*database_);
    remove_expired(now);
    evict();
    all.commit();
  } catch (const SqliteFailure& failure) {
    throw writing_error(failure, path_);
  }
}

std::vector<StoredSession> SqliteBackend::list(Time now) {
  try {
    std::vector<StoredSession> out;
    auto run = sql("SELECT r.name,r.bytes,r.tokens,r.used,m.fingerprint,m.options FROM record r "
                   "JOIN maker m ON m.id=r.maker WHERE r.format=? ORDER BY r.name")
                   .run(kRecordFormat);
    while (run.row()) {
      if (expired(run.integer(3), now)) continue;
      out.push_back({std::string(run.bytes(0)), static_cast<std::uint64_t>(run.integer(1)),
                     static_cast<std::uint64_t>(run.integer(2)), run.integer(3) / 1000,
                     std::string(run.bytes(4)), std::string(run.bytes(5))});
    }
    return out;
  } catch (const SqliteFailure& failure) {
    throw reading_error(failure, path_);
  }
}

void SqliteBackend::count(StoreCounters& counters) {
  try {
    const std::int64_t bytes = database_->number("SELECT bytes FROM total");
    counters.entries = static_cast<std::uint64_t>(database_->number("SELECT count(*) FROM record"));
    counters.bytes = bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
  } catch (const SqliteFailure& failure) {
    throw reading_error(failure, path_);
  }
  counters.records_expired = expired_;
  counters.records_evicted = evicted_;
}

std::unique_ptr<Backend> sqlite_backend(const std::string& path, const Limits& limits) {
  return std::make_unique<SqliteBackend>(path, limits);
}

}  // namespace toktier::store
