#include "store/sqlite_backend.hpp"
#include "store/sqlite_schema.hpp"
#include "store/text_chain.hpp"

#include <algorithm>
#include <limits>

namespace toktier::store {

using session::State;

namespace {

// What the budget counts beside texts and ids: rows and their places in indexes.
constexpr std::int64_t kRecordRows = 256;
constexpr std::int64_t kPartRow = 48;
constexpr std::int64_t kChainRow = 40;
constexpr std::int64_t kMicroseconds = 1000;

}  // namespace

std::int64_t SqliteBackend::maker_row(const Maker& maker) {
  const auto bound = [&](const char* text) {
    return sql(text).run(std::string_view(maker.fingerprint), std::string_view(maker.reference),
                         std::string_view(maker.unicode), std::string_view(maker.options),
                         maker.revision);
  };
  {
    auto run = bound(
        "SELECT id FROM maker WHERE fingerprint=? AND reference=? AND unicode=? AND options=? AND "
        "revision=?");
    if (run.row()) return run.integer(0);
  }
  auto run =
      bound("INSERT INTO maker(fingerprint,reference,unicode,options,revision) VALUES(?,?,?,?,?)");
  run.row();
  return database_->last_row();
}

// Later than every use there was, so that the order of uses is that of the numbers.
std::int64_t SqliteBackend::next_tick(Time now) {
  auto run = sql("SELECT max(used) FROM record").run();
  const std::int64_t last = run.row() ? run.integer(0) : 0;
  if (last == std::numeric_limits<std::int64_t>::max()) return last;
  return std::max(now * kMicroseconds, last + 1);
}

bool SqliteBackend::expired(std::int64_t used, Time now) const {
  return limits_.ttl > 0 && used / kMicroseconds + limits_.ttl <= now;
}

void SqliteBackend::add_to_total(std::int64_t bytes) {
  if (bytes != 0) sql("UPDATE total SET bytes=bytes+?").execute(bytes);
}

std::int64_t SqliteBackend::write_leaf(const std::string& payload) {
  const std::int64_t size = leaf_size(payload.size());
  sql("INSERT INTO leaf(uses,size) VALUES(1,?)").execute(size);
  const std::int64_t row = database_->last_row();
  sql("INSERT INTO payload(id,data) VALUES(?,?)").execute(row, Statement::Blob{payload});
  add_to_total(size);
  return row;
}

// Those with more uses first: a leaf that moves from one part to another stays.
void SqliteBackend::apply(const Uses& uses) {
  for (const auto& [row, change] : uses)
    if (change > 0) sql("UPDATE leaf SET uses=uses+? WHERE id=?").execute(change, row);
  for (const auto& [row, change] : uses) {
    if (change >= 0) continue;
    sql("UPDATE leaf SET uses=uses+? WHERE id=?").execute(change, row);
    std::int64_t size = 0;
    {
      auto run = sql("SELECT size FROM leaf WHERE id=? AND uses<=0").run(row);
      if (!run.row()) continue;
      size = run.integer(0);
    }
    sql("DELETE FROM leaf WHERE id=?").execute(row);
    sql("DELETE FROM payload WHERE id=?").execute(row);
    add_to_total(-size);
    known_.forget(row);
  }
}

void SqliteBackend::remove(std::int64_t record, std::int64_t size) {
  Uses uses;
  {
    auto run = sql("SELECT leaf FROM part WHERE record=?").run(record);
    while (run.row()) --uses[run.integer(0)];
  }
  sql("DELETE FROM part WHERE record=?").execute(record);
  sql("DELETE FROM chain WHERE record=?").execute(record);
  sql("DELETE FROM record WHERE id=?").execute(record);
  apply(uses);
  add_to_total(-size);
}

void SqliteBackend::remember(std::string_view name, Miss why) {
  sql("INSERT OR REPLACE INTO gone(name,why) VALUES(?,?)")
      .execute(name, static_cast<std::int64_t>(why));
  sql("DELETE FROM gone WHERE id<=?")
      .execute(database_->last_row() - static_cast<std::int64_t>(kRemembered));
}

void SqliteBackend::remove_expired(Time now) {
  if (limits_.ttl == 0) return;
  for (;;) {
    RecordRow oldest;
    {
      auto run = sql("SELECT id,name,size,used FROM record ORDER BY used LIMIT 1").run();
      if (!run.row() || !expired(run.integer(3), now)) return;
      oldest.id = run.integer(0);
      oldest.name = run.bytes(1);
      oldest.size = run.integer(2);
    }
    remove(oldest.id, oldest.size);
    remember(oldest.name, Miss::expired);
    ++expired_;
  }
}

void SqliteBackend::evict() {
  for (;;) {
    const std::int64_t total = database_->number("SELECT bytes FROM total");
    if (total <= 0 || static_cast<std::uint64_t>(total) <= limits_.budget_bytes) return;
    RecordRow oldest;
    {
      auto run = sql("SELECT id,name,size FROM record ORDER BY used LIMIT 1").run();
      if (!run.row()) return;
      oldest.id = run.integer(0);
      oldest.name = run.bytes(1);
      oldest.size = run.integer(2);
    }
    remove(oldest.id, oldest.size);
    remember(oldest.name, Miss::evicted);
    ++evicted_;
  }
}

void SqliteBackend::write_record(RecordRow& record, bool is_new) {
  const std::int64_t maker = maker_row(record.maker);
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  if (is_new) {
    sql("INSERT INTO record(name,maker,format,used,size,bytes,tokens,parts,marks,digest) "
        "VALUES(?,?,?,?,?,?,?,?,?,?)")
        .execute(std::string_view(record.name), maker, record.format, record.used, record.size,
                 number(record.bytes), number(record.tokens), number(record.parts),
                 Statement::Blob{record.marks}, Statement::Blob{record.digest});
    record.id = database_->last_row();
    return;
  }
  sql("UPDATE record SET maker=?,format=?,used=?,size=?,bytes=?,tokens=?,parts=?,marks=?,digest=? "
      "WHERE id=?")
      .execute(maker, record.format, record.used, record.size, number(record.bytes),
               number(record.tokens), number(record.parts), Statement::Blob{record.marks},
               Statement::Blob{record.digest}, record.id);
}

// The entries for all of the plain text, of which the first `same_bytes` bytes are as they were
// when it was last written.
void SqliteBackend::write_chain(std::int64_t record, const Maker& maker, const State& state,
                                std::size_t same_bytes) {
  std::int64_t there = 0;
  {
    auto run = sql("SELECT max(place)+1 FROM chain WHERE record=?").run(record);
    if (run.row()) there = run.integer(0);
  }
  const std::size_t plain = std::min(same_bytes, state.plain_bytes());
  std::int64_t same = std::min(there, static_cast<std::int64_t>(plain / TextChain::kStretch));
  TextChain chain(maker);
  if (same > 0) {
    auto run = sql("SELECT entry FROM chain WHERE record=? AND place=?").run(record, same - 1);
    if (run.row())
      chain = TextChain::behind(static_cast<std::uint64_t>(run.integer(0)));
    else
      same = 0;
  }
  if (same < there) sql("DELETE FROM chain WHERE record=? AND place>=?").execute(record, same);
  chain.add(state, static_cast<std::size_t>(same) * TextChain::kStretch);
  for (const std::uint64_t entry : chain.entries())
    sql("INSERT INTO chain(record,place,entry) VALUES(?,?,?)")
        .execute(record, same++, static_cast<std::int64_t>(entry));
}

bool SqliteBackend::put_in_transaction(std::string_view name, const Maker& maker,
                                       const State& state, Time now, std::vector<Placed>& placed) {
  remove_expired(now);
  std::optional<RecordRow> old = record_of(name);
  std::vector<PartRow> before;
  if (old) {
    before = parts_of(old->id);
    // Rows that a damaged file has lost or got are not built upon.
    if (before.size() != old->parts) {
      remove(old->id, old->size);
      old.reset();
      before.clear();
    }
  }

  RecordRow record;
  record.id = old ? old->id : 0;
  record.name = name;
  record.maker = maker;
  record.format = kRecordFormat;
  record.bytes = state.bytes();
  record.tokens = state.tokens();
  record.parts = state.leaves.size();
  record.marks = pack_marks(state);
  record.size = kRecordRows +
                static_cast<std::int64_t>(2 * record.name.size() + record.marks.size()) +
                kPartRow * static_cast<std::int64_t>(state.leaves.size()) +
                kChainRow * static_cast<std::int64_t>(state.plain_bytes() / TextChain::kStretch);

  std::int64_t alone = record.size;
  for (const State::Leaf& leaf : state.leaves) {
    const KnownLeaves::Known* known = known_.find(leaf);
    alone += known != nullptr ? known->size : leaf_size(packed_size(leaf));
  }
  if (static_cast<std::uint64_t>(alone) > limits_.budget_bytes) {
    if (old) remove(old->id, old->size);
    remember(name, Miss::evicted);
    ++evicted_;
    return false;
  }

  // Leaves that the file has, one more use for each, unless another process took one away.
  std::vector<PartRow> parts(state.leaves.size());
  Uses fewer;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const State::Leaf& leaf = state.leaves[i];
    PartRow& part = parts[i];
    part.outline = outline_of(leaf);
    if (const KnownLeaves::Known* known = known_.find(leaf)) {
      part.leaf = known->row;
      part.digest = known->digest;
    }
    if (part.leaf != 0 && i < before.size() && part.same_as(before[i])) continue;
    if (i < before.size()) --fewer[before[i].leaf];
    if (part.leaf != 0) {
      sql("UPDATE leaf SET uses=uses+1 WHERE id=?").execute(part.leaf);
      if (database_->changes() > 0) continue;
      known_.forget(part.leaf);
    }
    const std::string payload = pack_leaf(leaf);
    part.digest = digest_of(payload);
    part.leaf = write_leaf(payload);
    placed.push_back({leaf, part.leaf, part.digest, leaf_size(payload.size())});
  }
  for (std::size_t i = parts.size(); i < before.size(); ++i) --fewer[before[i].leaf];

  const Digest digest = record_digest(record, parts);
  record.digest = view(digest);
  record.used = next_tick(now);
  write_record(record, !old);
  std::size_t same_bytes = 0;
  bool same = old && old->maker == maker;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i < before.size() && parts[i].same_as(before[i])) {
      if (same) same_bytes += parts[i].outline.bytes;
      continue;
    }
    same = false;
    sql("INSERT OR REPLACE INTO part(record,place,leaf,kind,bytes,tokens,digest) "
        "VALUES(?,?,?,?,?,?,?)")
        .execute(record.id, static_cast<std::int64_t>(i), parts[i].leaf,
                 static_cast<std::int64_t>(parts[i].outline.kind),
                 static_cast<std::int64_t>(parts[i].outline.bytes),
                 static_cast<std::int64_t>(parts[i].outline.tokens),
                 Statement::Blob{view(parts[i].digest)});
  }
  if (parts.size() < before.size())
    sql("DELETE FROM part WHERE record=? AND place>=?")
        .execute(record.id, static_cast<std::int64_t>(parts.size()));
  apply(fewer);
  write_chain(record.id, maker, state, same_bytes);
  add_to_total(record.size - (old ? old->size : 0));
  sql("DELETE FROM gone WHERE name=?").execute(name);
  evict();
  return true;
}

void SqliteBackend::discard(std::int64_t record) {
  try {
    Transaction all(*database_);
    std::int64_t size = 0;
    {
      auto run = sql("SELECT size FROM record WHERE id=?").run(record);
      if (run.row()) size = run.integer(0);
    }
    // What is in memory of it may be sound, but not what it would lead to in the file.
    for (const PartRow& part : parts_of(record)) known_.forget(part.leaf);
    remove(record, size);
    all.commit();
  } catch (const SqliteFailure&) {
    // It stays, and misses again.
  }
}

void SqliteBackend::expire_quietly(Time now) {
  if (limits_.ttl == 0) return;
  try {
    {
      auto run = sql("SELECT min(used) FROM record").run();
      if (!run.row() || !expired(run.integer(0), now)) return;
    }
    Transaction all(*database_);
    remove_expired(now);
    all.commit();
  } catch (const SqliteFailure&) {
  }
}

// A use is not worth waiting for the disk: one that is lost makes a record go a little earlier.
void SqliteBackend::touch(std::int64_t record, Time now) {
  try {
    database_->execute("PRAGMA synchronous=NORMAL");
    {
      Transaction all(*database_);
      sql("UPDATE record SET used=? WHERE id=?").execute(next_tick(now), record);
      all.commit();
    }
  } catch (const SqliteFailure&) {
  }
  database_->execute("PRAGMA synchronous=FULL");
}

}  // namespace toktier::store
