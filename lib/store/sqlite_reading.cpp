#include "store/sqlite_backend.hpp"
#include "store/sqlite_schema.hpp"
#include "store/text_chain.hpp"

#include <algorithm>
#include <cstring>

namespace toktier::store {

using session::State;

namespace {

constexpr const char* kByName =
    "SELECT r.id,r.name,r.format,r.used,r.size,r.bytes,r.tokens,r.parts,r.marks,r.digest,"
    "m.fingerprint,m.reference,m.unicode,m.options,m.revision "
    "FROM record r LEFT JOIN maker m ON m.id=r.maker WHERE r.name=?";
constexpr const char* kById =
    "SELECT r.id,r.name,r.format,r.used,r.size,r.bytes,r.tokens,r.parts,r.marks,r.digest,"
    "m.fingerprint,m.reference,m.unicode,m.options,m.revision "
    "FROM record r LEFT JOIN maker m ON m.id=r.maker WHERE r.id=?";

std::uint64_t size_of(std::int64_t value) {
  return value < 0 ? UINT64_MAX : static_cast<std::uint64_t>(value);
}

}  // namespace

std::optional<RecordRow> SqliteBackend::record(Statement::Run run) {
  if (!run.row()) return std::nullopt;
  RecordRow row;
  row.id = run.integer(0);
  row.name = run.bytes(1);
  row.format = run.integer(2);
  row.used = run.integer(3);
  row.size = run.integer(4);
  row.bytes = size_of(run.integer(5));
  row.tokens = size_of(run.integer(6));
  row.parts = size_of(run.integer(7));
  row.marks = run.bytes(8);
  row.digest = run.bytes(9);
  row.maker.fingerprint = run.bytes(10);
  row.maker.reference = run.bytes(11);
  row.maker.unicode = run.bytes(12);
  row.maker.options = run.bytes(13);
  row.maker.revision = run.integer(14);
  return row;
}

std::optional<RecordRow> SqliteBackend::record_of(std::string_view name) {
  return record(sql(kByName).run(name));
}

// In order; fewer than there are when places are missing.
std::vector<PartRow> SqliteBackend::parts_of(std::int64_t record) {
  std::vector<PartRow> parts;
  auto run = sql("SELECT place,leaf,kind,bytes,tokens,digest FROM part WHERE record=? "
                 "ORDER BY place")
                 .run(record);
  while (run.row()) {
    if (run.integer(0) != static_cast<std::int64_t>(parts.size())) break;
    PartRow part;
    part.leaf = run.integer(1);
    const std::int64_t kind = run.integer(2);
    part.outline.kind = static_cast<LeafOutline::Kind>(kind < 0 || kind > 3 ? 0 : kind);
    part.outline.bytes = size_of(run.integer(3));
    part.outline.tokens = size_of(run.integer(4));
    const std::string_view digest = run.bytes(5);
    if (digest.size() == part.digest.size())
      std::memcpy(part.digest.data(), digest.data(), digest.size());
    parts.push_back(part);
  }
  return parts;
}

std::optional<State::Leaf> SqliteBackend::leaf(const PartRow& part,
                                               const encode::Pipeline& pipeline) {
  std::optional<State::Leaf> leaf;
  const KnownLeaves::Known* known = known_.find(part.leaf);
  if (known != nullptr && known->digest == part.digest) {
    leaf = known->leaf;
  } else {
    auto run = sql("SELECT data FROM payload WHERE id=?").run(part.leaf);
    if (!run.row()) return std::nullopt;
    const std::string_view payload = run.bytes(0);
    if (digest_of(payload) != part.digest) return std::nullopt;
    leaf = unpack_leaf(payload, pipeline);
    if (!leaf) return std::nullopt;
    known_.add(*leaf, part.leaf, part.digest, leaf_size(payload.size()));
  }
  const bool is_given = part.outline.kind == LeafOutline::Kind::given;
  if (is_given != static_cast<bool>(leaf->given) || leaf->bytes() != part.outline.bytes ||
      leaf->tokens() != part.outline.tokens)
    return std::nullopt;
  leaf->begins = part.outline.kind == LeafOutline::Kind::begins_run;
  return leaf;
}

std::optional<SqliteBackend::Candidate> SqliteBackend::candidate(RecordRow record) {
  Candidate out;
  out.parts = parts_of(record.id);
  out.record = std::move(record);
  if (!holds_together(out.record, out.parts)) return std::nullopt;
  std::vector<LeafOutline> outlines;
  outlines.reserve(out.parts.size());
  for (const PartRow& part : out.parts) outlines.push_back(part.outline);
  if (!unpack_marks(out.record.marks, outlines, out.marks)) return std::nullopt;
  if (!outlines.empty() && outlines.front().kind == LeafOutline::Kind::begins_run)
    out.plain = State::plain_bytes_of(out.marks.marks.front());
  return out;
}

std::optional<State> SqliteBackend::load(const RecordRow& record,
                                         const encode::Pipeline& pipeline) {
  std::optional<Candidate> all = candidate(record);
  if (!all) return std::nullopt;
  State state = std::move(all->marks);
  state.leaves.reserve(all->parts.size());
  for (const PartRow& part : all->parts) {
    std::optional<State::Leaf> next = leaf(part, pipeline);
    if (!next) return std::nullopt;
    state.leaves.push_back(std::move(*next));
  }
  if (!marks_at_characters(state)) return std::nullopt;
  return state;
}

// Of texts that agree before `from`. Nothing: a leaf is damaged.
std::optional<std::size_t> SqliteBackend::common_prefix(const Candidate& candidate,
                                                        std::string_view text, std::size_t from,
                                                        const encode::Pipeline& pipeline) {
  std::size_t at = 0;
  for (const PartRow& part : candidate.parts) {
    const std::size_t end = at + part.outline.bytes;
    if (end > from) {
      const std::optional<State::Leaf> next = leaf(part, pipeline);
      if (!next) return std::nullopt;
      State one;
      one.leaves.push_back(*next);
      const std::size_t same = one.common_prefix(text.substr(std::min(at, text.size())));
      if (same < part.outline.bytes) return std::min(at + same, candidate.plain);
    }
    at = end;
  }
  return std::min(at, candidate.plain);
}

// The leaves that hold the first `bytes` bytes, compared from the begin.
std::optional<Found> SqliteBackend::front_of(Candidate& candidate, std::string_view text,
                                             std::size_t bytes, const encode::Pipeline& pipeline) {
  Found found;
  found.state = std::move(candidate.marks);
  std::size_t at = 0;
  for (const PartRow& part : candidate.parts) {
    if (at > bytes) break;
    std::optional<State::Leaf> next = leaf(part, pipeline);
    if (!next) return std::nullopt;
    found.state.leaves.push_back(std::move(*next));
    at += part.outline.bytes;
  }
  const std::size_t same = std::min(found.state.common_prefix(text), candidate.plain);
  found.state.fit_marks();
  if (!marks_at_characters(found.state)) return std::nullopt;
  found.bytes = std::min(same, bytes);
  found.name = candidate.record.name;
  return found;
}

// `used`: the record that was found.
std::variant<Found, Miss> SqliteBackend::search(std::string_view text, const Asker& asker,
                                                std::vector<std::int64_t>& damaged,
                                                std::int64_t& used) {
  TextChain chain(asker.maker);
  chain.add(text);
  const std::size_t known = known_entries(chain.entries(), [&](std::uint64_t entry) {
    return sql("SELECT 1 FROM chain WHERE entry=? LIMIT 1")
        .run(static_cast<std::int64_t>(entry))
        .row();
  });
  if (known == 0) return Miss::absent;
  std::vector<std::int64_t> records;
  {
    auto run = sql("SELECT DISTINCT record FROM chain WHERE entry=? ORDER BY record DESC LIMIT ?")
                   .run(static_cast<std::int64_t>(chain.entries()[known - 1]),
                        static_cast<std::int64_t>(kCompared));
    while (run.row()) records.push_back(run.integer(0));
  }
  std::optional<Candidate> best;
  std::size_t most = 0;
  const std::size_t from = known * TextChain::kStretch;
  for (const std::int64_t id : records) {
    std::optional<RecordRow> row = record(sql(kById).run(id));
    if (!row || row->format != kRecordFormat || row->maker != asker.maker) continue;
    std::optional<Candidate> next = candidate(std::move(*row));
    const std::optional<std::size_t> same =
        next ? common_prefix(*next, text, from, asker.pipeline) : std::nullopt;
    if (!same) {
      damaged.push_back(id);
      continue;
    }
    if (*same <= most) continue;
    most = *same;
    best = std::move(next);
  }
  if (!best) return damaged.empty() ? Miss::absent : Miss::corrupt;
  used = best->record.id;
  std::optional<Found> found = front_of(*best, text, most, asker.pipeline);
  if (!found) {
    damaged.push_back(used);
    return Miss::corrupt;
  }
  if (found->bytes == 0) return Miss::absent;
  return std::move(*found);
}

Miss SqliteBackend::why_gone(std::string_view name) {
  auto run = sql("SELECT why FROM gone WHERE name=?").run(name);
  if (!run.row()) return Miss::absent;
  return run.integer(0) == static_cast<std::int64_t>(Miss::expired) ? Miss::expired : Miss::evicted;
}

}  // namespace toktier::store
