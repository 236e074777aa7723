#pragma once
// For tests: a row of parts beside a plain list of parts, compared after every step: text, parts,
// ids (every run of text encoded at once, with its untrusted ranges), and the tokens of each part.

#include "session/row.hpp"
#include "session/testing/checked_document.hpp"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace toktier::session::testing {

struct PlainPart {
  PartKind kind = PartKind::text;
  std::uint32_t label = 0;
  std::string text;
  std::vector<TokenId> ids;  // sampled
  bool is_text() const { return kind != PartKind::sampled; }
};

/// The slow twin of Row: a list of parts, changed by copying.
struct PlainRow {
  const encode::Pipeline* pipeline = nullptr;
  std::vector<PlainPart> parts;
  std::uint32_t label = 0;
  bool fresh = false;

  std::string text() const {
    std::string all;
    for (const PlainPart& part : parts) all += part.text;
    return all;
  }

  void append(PlainPart part) {
    part.label = label;
    if (part.is_text() ? part.text.empty() : part.ids.empty()) return;
    if (!parts.empty() && !fresh && parts.back().kind == part.kind && parts.back().label == label) {
      parts.back().text += part.text;
      parts.back().ids.insert(parts.back().ids.end(), part.ids.begin(), part.ids.end());
    } else {
      parts.push_back(part);
    }
    fresh = false;
    if (!part.is_text()) parts.back().text = decode(parts.back().ids);
  }

  std::string decode(const std::vector<TokenId>& ids) const {
    return unicode::replace_invalid_utf8(pipeline->decoder().decode(ids));
  }

  /// Nothing, and no change, when a border is inside sampled ids.
  bool edit(std::size_t begin, std::size_t end, const std::string& text, PartKind kind) {
    std::vector<PlainPart> left, right;
    std::size_t left_of = parts.size(), right_of = parts.size() + 1;
    std::size_t at = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PlainPart& part = parts[i];
      const std::size_t stop = at + part.text.size();
      if (!part.is_text()) {
        if ((at < begin && begin < stop) || (at < end && end < stop)) return false;
        if (stop <= begin)
          left.push_back(part);
        else if (at >= end)
          right.push_back(part);
        left_of = stop <= begin ? parts.size() : left_of;
      } else {
        if (at < begin) {
          left.push_back(part);
          left.back().text.resize(std::min(stop, begin) - at);
          left_of = i;
        }
        if (stop > end) {
          if (right.empty()) right_of = i;
          right.push_back(part);
          if (at < end) right.back().text.erase(0, end - at);
        }
      }
      at = stop;
    }
    const bool one = left_of == right_of;
    const auto fits = [&](const PlainPart& part) { return part.is_text() && part.kind == kind; };
    if (text.empty()) {
      if (one) {
        left.back().text += right.front().text;
        right.erase(right.begin());
      }
    } else if (!left.empty() && fits(left.back())) {
      left.back().text += text;
      if (one) {
        left.back().text += right.front().text;
        right.erase(right.begin());
      }
    } else if (!right.empty() && fits(right.front())) {
      right.front().text.insert(0, text);
    } else {
      left.push_back({kind, label, text, {}});
    }
    left.insert(left.end(), right.begin(), right.end());
    parts = std::move(left);
    return true;
  }

  /// Whether what is put at [begin, end) without a word of its trust is untrusted.
  bool unsafe(std::size_t begin, std::size_t end) const {
    std::size_t at = 0;
    for (const PlainPart& part : parts) {
      const std::size_t stop = at + part.text.size();
      const bool inside = begin < end && at < end && stop > begin;
      const bool beside = begin == end && at <= begin && stop >= begin && stop > at;
      if (inside && part.kind != PartKind::text) return true;
      if (beside && part.kind == PartKind::untrusted) return true;
      at = stop;
    }
    return false;
  }

  /// Ids of all, and the ranges of the parts. Throws what the encoder throws.
  std::vector<TokenId> encode(const added::SpecialFilter& filter, encode::EncodeScratch& scratch,
                              std::vector<PartRange>& ranges) const {
    std::vector<TokenId> ids;
    std::size_t byte = 0;
    for (std::size_t i = 0; i < parts.size();) {
      PartRange range;
      if (!parts[i].is_text()) {
        range = {PartKind::sampled,           parts[i].label, byte,
                 byte + parts[i].text.size(), ids.size(),     ids.size() + parts[i].ids.size()};
        byte = range.end;
        ids.insert(ids.end(), parts[i].ids.begin(), parts[i].ids.end());
        ranges.push_back(range);
        ++i;
        continue;
      }
      std::string run;
      std::vector<Span> untrusted;
      std::size_t k = i;
      for (; k < parts.size() && parts[k].is_text(); ++k) {
        const auto begin = static_cast<std::uint32_t>(run.size());
        run += parts[k].text;
        if (parts[k].kind == PartKind::untrusted)
          untrusted.push_back({begin, static_cast<std::uint32_t>(run.size())});
      }
      encode::EncodeWants wants;
      wants.untrusted.ranges = untrusted;
      Encoding out;
      pipeline->run(run, filter, wants, scratch, out);
      std::vector<TokenId> run_ids = out.ids;
      wants.spans = true;
      out.clear();
      pipeline->run(run, filter, wants, scratch, out);
      std::size_t end = 0, first = 0;
      for (; i < k; ++i) {
        end += parts[i].text.size();
        std::size_t last = first;
        while (last < out.spans.size() && (i + 1 == k || out.spans[last].begin < end)) ++last;
        ranges.push_back({parts[i].kind, parts[i].label, byte, byte + parts[i].text.size(),
                          ids.size() + first, ids.size() + last});
        byte = ranges.back().end;
        first = last;
      }
      ids.insert(ids.end(), run_ids.begin(), run_ids.end());
    }
    return ids;
  }
};

/// The reference's spans are the bytes of the tokens: the model drops no character and has no
/// affix.
inline bool true_spans(const encode::Pipeline& pipeline) {
  const auto* bpe = std::get_if<model::Bpe>(&pipeline.spec().model);
  if (bpe == nullptr || pipeline.model().tiles()) return true;
  if (!bpe->continuing_subword_prefix.empty() || !bpe->end_of_word_suffix.empty()) return false;
  return bpe->unk_token.has_value() || pipeline.spec().reference == model::Reference::sentencepiece;
}

struct RowTally {
  std::uint64_t steps = 0, differ = 0, refused = 0, sampled = 0, inside = 0;
  std::string first;
};

class CheckedRow {
 public:
  CheckedRow(const encode::Pipeline& pipeline, std::shared_ptr<const added::SpecialFilter> filter,
             encode::EncodeScratch& scratch, encode::EncodeScratch& cold, Row::Rules rules,
             Grain grain)
      : filter_(std::move(filter)),
        scratch_(&scratch),
        cold_(&cold),
        rules_(rules),
        row(pipeline, filter_, rules, grain) {
    plain.pipeline = &pipeline;
  }

  /// One step: `change(row)` on the row, `twin(plain)` on the list (false: it must be refused).
  template <class OnRow, class OnPlain>
  bool step(RowTally& tally, const std::string& what, OnRow&& on_row, OnPlain&& on_plain) {
    ++tally.steps;
    PlainRow next = plain;
    bool valid = true;
    std::vector<PartRange> ranges;
    std::vector<TokenId> cold;
    std::string why;
    try {
      valid = on_plain(next);
      if (valid) cold = next.encode(*filter_, *cold_, ranges);
    } catch (const Error& error) {
      valid = false;
      why = error.what();
    }
    const auto differs = [&](const std::string& how) {
      ++tally.differ;
      if (!tally.first.empty()) return false;
      std::string parts;
      for (const PlainPart& part : plain.parts)
        parts += fmt::format("{}{}\"{}\" ", static_cast<int>(part.kind), part.label,
                             report::escape_preview(part.text, 4000));
      tally.first = fmt::format("{}\n  on {}\n  {}", what, parts, how);
      return false;
    };
    std::vector<TokenId> patched = ids;
    try {
      const Change change = on_row(row);
      Patch patch;
      patch.keep_tokens = change.keep;
      patch.tail_tokens = change.tail;
      patch.ids = change.ids;
      if (!valid) return differs("only the twin refuses " + why);
      if (change.keep + change.tail > patched.size()) return differs("the patch keeps too much");
      patch.apply(patched);
    } catch (const Error& error) {
      if (valid) return differs(std::string("refused: ") + error.what());
      ++tally.refused;
      std::vector<TokenId> stored;
      row.append_ids(stored);
      return stored == ids ? true : differs("a refused step left a trace");
    }
    plain = std::move(next);
    ids = std::move(patched);
    std::vector<TokenId> stored;
    row.append_ids(stored);
    if (stored != cold) {
      const auto at = std::mismatch(cold.begin(), cold.end(), stored.begin(), stored.end()).first;
      return differs(fmt::format("token {}\n  cold   {}\n  stored {}", at - cold.begin(),
                                 show_ids(cold), show_ids(stored)));
    }
    if (ids != cold) return differs("patched ids\n  " + show_ids(ids));
    if (row.tokens() != cold.size() || row.bytes() != plain.text().size()) return differs("sizes");
    if (rules_.keep_text) {
      std::string text;
      row.append_text(text);
      if (text != plain.text()) return differs("text");
    }
    auto got = row.part_ranges(*scratch_);
    if (!true_spans(*plain.pipeline)) {
      for (std::vector<PartRange>* list : {&got, &ranges})
        for (PartRange& range : *list) range.first = range.last = 0;
    }
    if (got == ranges) return true;
    std::string shown;
    for (const std::vector<PartRange>* list : {&got, &ranges}) {
      shown += "\n  ";
      for (const PartRange& r : *list)
        shown += fmt::format("{}:{} [{},{}) [{},{})  ", static_cast<int>(r.kind), r.label, r.begin,
                             r.end, r.first, r.last);
    }
    return differs("ranges" + shown);
  }

 private:
  std::shared_ptr<const added::SpecialFilter> filter_;
  encode::EncodeScratch* scratch_;
  encode::EncodeScratch* cold_;
  Row::Rules rules_;

 public:
  Row row;
  PlainRow plain;
  std::vector<TokenId> ids;
};

/// Random appends, edits, updates, rewinds and forks of rows.
template <class Random>
void walk_rows(const encode::Pipeline& pipeline, Row::Rules rules, SpecialMode mode, Grain grain,
               const std::vector<std::string>& chunks, std::size_t steps, std::size_t most_bytes,
               Random& random, RowTally& tally) {
  const auto filter = std::make_shared<const added::SpecialFilter>(pipeline.added().filter(mode));
  const auto scratch = pipeline.scratch(1 << 16);
  const auto cold = pipeline.scratch(1 << 16);
  const CheckedRow empty(pipeline, filter, *scratch, *cold, rules, grain);
  std::vector<CheckedRow> rows(1, empty);
  std::size_t current = 0;
  std::vector<TokenId> known;
  for (TokenId id = 0; id < pipeline.decoder().end_id(); ++id)
    if (pipeline.decoder().has(id)) known.push_back(id);
  const auto chunk = [&](std::size_t most) {
    std::string text;
    for (auto n = random() % (most + 1); n > 0; --n) text += chunks[random() % chunks.size()];
    return text;
  };
  for (std::size_t i = 0; i < steps; ++i) {
    CheckedRow& r = rows[current];
    const std::string text = r.plain.text();
    const auto place = [&] { return border(text, random() % (text.size() + 1)); };
    bool good = true;
    const auto op = random() % 16;
    if (op == 0) {
      CheckedRow copy = r;
      r.row.settle();
      copy.row = r.row;
      if (rows.size() < 3)
        rows.push_back(std::move(copy));
      else
        rows[random() % rows.size()] = std::move(copy);
      current = random() % rows.size();
    } else if (op == 1) {
      const auto label = static_cast<std::uint32_t>(random() % 3);
      r.row.begin_part(label);
      r.plain.label = label;
      r.plain.fresh = true;
    } else if (op <= 4) {
      std::vector<TokenId> ids;
      if (random() % 2 == 0) {
        for (auto n = random() % 6; n > 0; --n) ids.push_back(known[random() % known.size()]);
      } else {
        Encoding out;
        try {
          pipeline.run(chunk(4), *filter, {}, *cold, out);
        } catch (const Error&) {
          continue;
        }
        ids = out.ids;
      }
      tally.sampled += ids.size();
      good = r.step(
          tally, "append_sampled " + show_ids(ids),
          [&](Row& row) { return row.append_sampled(ids); },
          [&](PlainRow& plain) {
            plain.append({PartKind::sampled, 0, "", ids});
            return true;
          });
    } else if (op <= 6 && rules.keep_text) {
      const std::size_t begin = place();
      const std::size_t end =
          std::max(begin, border(text, std::min(text.size(), begin + random() % 20)));
      const std::string by = chunk(3);
      std::optional<bool> trusted;
      if (random() % 2 == 0) trusted = random() % 2 == 0;
      good = r.step(
          tally, fmt::format("edit [{},{}) = \"{}\"", begin, end, report::escape_preview(by, 900)),
          [&](Row& row) { return row.edit(begin, end, by, trusted, *scratch); },
          [&](PlainRow& plain) {
            const bool is = trusted ? !*trusted : plain.unsafe(begin, end);
            const bool done = plain.edit(begin, end, by,
                                         is && rules.trust ? PartKind::untrusted : PartKind::text);
            if (!done) ++tally.inside;
            return done;
          });
    } else if (op == 7) {  // rewind
      const std::size_t at = text.size() > most_bytes ? border(text, most_bytes / 3) : place();
      const std::string before = text.substr(0, at);
      good = r.step(
          tally, fmt::format("rewind {}", at),
          [&](Row& row) {
            const std::size_t needed = row.text_needed(at);
            return row.rewind(at, *scratch,
                              std::string_view(before).substr(border(before, at - needed)));
          },
          [&](PlainRow& plain) {
            std::size_t byte = 0;
            for (std::size_t k = 0; k < plain.parts.size(); ++k) {
              PlainPart& part = plain.parts[k];
              if (byte + part.text.size() <= at) {
                byte += part.text.size();
                continue;
              }
              plain.parts.resize(k + (byte < at ? 1 : 0));
              if (byte == at) return true;
              PlainPart& cut = plain.parts[k];
              if (cut.is_text()) {
                cut.text.resize(at - byte);
                return true;
              }
              const std::string wanted = cut.text.substr(0, at - byte);
              for (std::size_t n = 0; n < cut.ids.size(); ++n) {
                const std::vector<TokenId> some(cut.ids.begin(),
                                                cut.ids.begin() + static_cast<std::ptrdiff_t>(n));
                if (plain.decode(some) != wanted) continue;
                cut.ids = some;
                cut.text = wanted;
                return true;
              }
              ++tally.inside;
              return false;
            }
            return true;
          });
    } else if (op <= 9) {  // update, with the change found anew in the plain texts
      std::string full = text;
      const std::size_t begin = place();
      const std::size_t end =
          std::max(begin, border(text, std::min(text.size(), begin + random() % 30)));
      if (random() % 8 != 0) full.replace(begin, end - begin, chunk(3));
      CheckedRow& checked = r;
      good = checked.step(
          tally, "update " + report::escape_preview(full, 4000),
          [&](Row& row) { return row.update(full, *scratch); },
          [&](PlainRow& plain) {
            // Which parts go can be told in more than one way; the row's is taken, its sampled
            // parts checked to be the old ones, in the old order.
            Row copy = checked.row;
            copy.update(full, *scratch);
            PlainRow next = plain;
            next.parts.clear();
            std::vector<PlainPart> old;
            for (const PlainPart& part : plain.parts)
              if (!part.is_text()) old.push_back(part);
            std::vector<TokenId> ids;
            copy.append_ids(ids);
            std::size_t from = 0;
            for (const PartRange& range : copy.part_ranges(*scratch)) {
              PlainPart part{
                  range.kind, range.label, full.substr(range.begin, range.end - range.begin), {}};
              if (!part.is_text()) {
                part.ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(range.first),
                                ids.begin() + static_cast<std::ptrdiff_t>(range.last));
                while (from < old.size() &&
                       (old[from].ids != part.ids || old[from].label != part.label))
                  ++from;
                if (from == old.size() || old[from].text != part.text)
                  throw Error(ErrorCode::internal, "other sampled ids than before");
                ++from;
              }
              next.parts.push_back(part);
            }
            if (next.text() != full) throw Error(ErrorCode::internal, "not the full text");
            // An untrusted byte that stays where it was does not become trusted.
            std::size_t same = static_cast<std::size_t>(
                std::mismatch(text.begin(), text.end(), full.begin(), full.end()).first -
                text.begin());
            const auto trust_at = [](const PlainRow& p, std::size_t byte) {
              for (const PlainPart& part : p.parts) {
                if (byte < part.text.size()) return part.kind;
                byte -= part.text.size();
              }
              return PartKind::text;
            };
            for (std::size_t byte = 0; byte < same; ++byte)
              if (trust_at(plain, byte) == PartKind::untrusted &&
                  trust_at(next, byte) != PartKind::untrusted)
                throw Error(ErrorCode::internal, "trust grew");
            plain = next;
            return true;
          });
    } else {
      const bool trusted = random() % 3 != 0;
      const std::string more = chunk(random() % 4 == 0 ? 40 : 4);
      good = r.step(
          tally, fmt::format("append {} \"{}\"", trusted, report::escape_preview(more, 4000)),
          [&](Row& row) { return row.append(more, trusted, *scratch); },
          [&](PlainRow& plain) {
            const bool is = !trusted && rules.trust;
            plain.append({is ? PartKind::untrusted : PartKind::text, 0, more, {}});
            return true;
          });
    }
    if (!good) rows[current] = empty;
  }
}

}  // namespace toktier::session::testing
