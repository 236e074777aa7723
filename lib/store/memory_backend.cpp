// Records in memory: leaves are shared with the sessions and with each other.

#include "store/backend.hpp"
#include "store/gone_names.hpp"
#include "store/text_chain.hpp"

#include <algorithm>
#include <list>
#include <set>
#include <unordered_map>
#include <utility>

namespace toktier::store {

namespace {

using session::State;

struct Record {
  std::uint64_t id = 0;  // grows with every name that is new
  std::string name;
  Maker maker;
  State state;
  std::vector<std::uint64_t> chain;
  Time used = 0;
  std::uint64_t bytes = 0;  // beside its leaves
};

class MemoryBackend final : public Backend {
 public:
  explicit MemoryBackend(const Limits& limits) : limits_(limits) {}

  bool put(std::string_view name, const Maker& maker, const State& state, Time now) override;
  std::variant<State, Miss> get(std::string_view name, const Asker& asker, Time now) override;
  std::variant<Found, Miss> find(std::string_view text, const Asker& asker, Time now) override;
  bool drop(std::string_view name) override;
  void trim(Time now) override;
  std::vector<StoredSession> list(Time now) override;
  bool durable() const override { return false; }
  void count(StoreCounters& counters) override;

 private:
  using Records = std::list<Record>;
  struct Use {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
  };

  void hold(const Record& record);
  void release(const Record& record);
  void remove(Records::iterator record);
  void expire(Time now);
  void touch(Records::iterator record, Time now);

  Limits limits_;
  Records records_;  // the latest used first
  std::unordered_map<std::string, Records::iterator> names_;
  std::unordered_map<std::uint64_t, Records::iterator> ids_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> chains_;  // entry, id
  std::unordered_map<const void*, Use> leaves_;
  GoneNames gone_;
  std::uint64_t bytes_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t expired_ = 0, evicted_ = 0;
};

// A record's leaves and chain become part of the whole, and the other way round.
void MemoryBackend::hold(const Record& record) {
  for (const State::Leaf& leaf : record.state.leaves) {
    Use& use = leaves_[leaf.identity()];
    if (use.records++ > 0) continue;
    use.bytes = leaf.memory();
    bytes_ += use.bytes;
  }
  for (const std::uint64_t entry : record.chain) chains_.emplace(entry, record.id);
  bytes_ += record.bytes;
}

void MemoryBackend::release(const Record& record) {
  for (const State::Leaf& leaf : record.state.leaves) {
    const auto use = leaves_.find(leaf.identity());
    if (--use->second.records > 0) continue;
    bytes_ -= use->second.bytes;
    leaves_.erase(use);
  }
  for (const std::uint64_t entry : record.chain) chains_.erase({entry, record.id});
  bytes_ -= record.bytes;
}

void MemoryBackend::remove(Records::iterator record) {
  release(*record);
  names_.erase(record->name);
  ids_.erase(record->id);
  records_.erase(record);
}

void MemoryBackend::expire(Time now) {
  if (limits_.ttl == 0) return;
  while (!records_.empty() && records_.back().used + limits_.ttl <= now) {
    gone_.add(records_.back().name, Miss::expired);
    remove(std::prev(records_.end()));
    ++expired_;
  }
}

void MemoryBackend::touch(Records::iterator record, Time now) {
  record->used = std::max(record->used, now);
  records_.splice(records_.begin(), records_, record);
}

void MemoryBackend::trim(Time now) {
  expire(now);
  while (bytes_ > limits_.budget_bytes && !records_.empty()) {
    gone_.add(records_.back().name, Miss::evicted);
    remove(std::prev(records_.end()));
    ++evicted_;
  }
}

bool MemoryBackend::put(std::string_view name, const Maker& maker, const State& state, Time now) {
  expire(now);
  Record record;
  record.name = name;
  record.maker = maker;
  record.state = state;
  record.used = now;
  const auto old = names_.find(record.name);
  TextChain chain(maker);
  std::size_t from = 0;
  if (old != names_.end()) {
    record.id = old->second->id;
    record.used = std::max(now, old->second->used);
    const Record& before = *old->second;
    if (before.maker == maker) {
      // What the leaves say that did not change.
      for (std::size_t i = 0; i < std::min(state.leaves.size(), before.state.leaves.size()); ++i) {
        if (state.leaves[i].identity() != before.state.leaves[i].identity()) break;
        from += state.leaves[i].bytes();
      }
      from = std::min({from, state.plain_bytes(), before.state.plain_bytes()});
      const std::size_t same = from / TextChain::kStretch;
      from = same * TextChain::kStretch;
      record.chain.assign(before.chain.begin(),
                          before.chain.begin() + static_cast<std::ptrdiff_t>(same));
      if (same > 0) chain = TextChain::behind(record.chain.back());
    }
  } else {
    record.id = ++last_id_;
  }
  chain.add(state, from);
  record.chain.insert(record.chain.end(), chain.entries().begin(), chain.entries().end());
  record.bytes = sizeof(Record) + 200 + 2 * record.name.size() + maker.options.size() +
                 state.leaves.size() * sizeof(State::Leaf) + record.chain.size() * 56;
  for (const auto& marks : state.marks) record.bytes += marks.size() * sizeof(State::Mark);

  if (old != names_.end()) remove(old->second);
  std::uint64_t alone = record.bytes;
  for (const State::Leaf& leaf : state.leaves) alone += leaf.memory();
  if (alone > limits_.budget_bytes) {
    gone_.add(record.name, Miss::evicted);
    ++evicted_;
    return false;
  }
  hold(record);
  gone_.forget(record.name);
  records_.push_front(std::move(record));
  names_[records_.front().name] = records_.begin();
  ids_[records_.front().id] = records_.begin();
  trim(now);  // the latest used would go last
  return true;
}

std::variant<State, Miss> MemoryBackend::get(std::string_view name, const Asker& asker, Time now) {
  expire(now);
  const std::string key(name);
  const auto at = names_.find(key);
  if (at == names_.end()) return gone_.why(key);
  if (at->second->maker != asker.maker) return Miss::foreign;
  touch(at->second, now);
  return at->second->state;
}

std::variant<Found, Miss> MemoryBackend::find(std::string_view text, const Asker& asker, Time now) {
  expire(now);
  TextChain chain(asker.maker);
  chain.add(text);
  const auto first_behind = [&](std::uint64_t entry) {
    return chains_.upper_bound({entry, UINT64_MAX});
  };
  const std::size_t known = known_entries(chain.entries(), [&](std::uint64_t entry) {
    const auto at = first_behind(entry);
    return at != chains_.begin() && std::prev(at)->first == entry;
  });
  if (known == 0) return Miss::absent;
  const std::uint64_t entry = chain.entries()[known - 1];
  Found best;
  auto winner = records_.end();
  auto at = first_behind(entry);
  for (std::size_t i = 0; i < kCompared && at != chains_.begin(); ++i) {
    --at;
    if (at->first != entry) break;
    const auto record = ids_.at(at->second);
    const std::size_t same =
        std::min(record->state.common_prefix(text), record->state.plain_bytes());
    if (record->maker != asker.maker || same <= best.bytes) continue;
    best.bytes = same;
    winner = record;
  }
  if (winner == records_.end()) return Miss::absent;
  best.state = winner->state;
  best.state.keep_front(best.bytes);
  best.name = winner->name;
  touch(winner, now);
  return best;
}

bool MemoryBackend::drop(std::string_view name) {
  const auto at = names_.find(std::string(name));
  if (at == names_.end()) return false;
  remove(at->second);
  return true;
}

std::vector<StoredSession> MemoryBackend::list(Time now) {
  expire(now);
  std::vector<StoredSession> out;
  for (const Record& r : records_)
    out.push_back(
        {r.name, r.state.bytes(), r.state.tokens(), r.used, r.maker.fingerprint, r.maker.options});
  std::sort(out.begin(), out.end(),
            [](const StoredSession& a, const StoredSession& b) { return a.name < b.name; });
  return out;
}

void MemoryBackend::count(StoreCounters& counters) {
  counters.entries = records_.size();
  counters.bytes = bytes_;
  counters.records_expired = expired_;
  counters.records_evicted = evicted_;
}

}  // namespace

std::unique_ptr<Backend> memory_backend(const Limits& limits) {
  return std::make_unique<MemoryBackend>(limits);
}

}  // namespace toktier::store
