#include "session/row.hpp"

#include "session/drift_place.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace toktier::session {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

void check_text(std::string_view text) {
  const auto bad = unicode::find_invalid_utf8(text);
  if (!bad) return;
  throw Error(ErrorCode::input, fmt::format("the text is not UTF-8: byte 0x{:02X} at offset {}",
                                            static_cast<unsigned char>(text[*bad]), *bad));
}

void check_size(std::size_t bytes) {
  if (bytes <= kMaxDocumentBytes) return;
  throw Error(ErrorCode::input, fmt::format("a document of {} bytes; at most {} are supported",
                                            bytes, kMaxDocumentBytes));
}

decode::DecodeOptions lossy() {
  decode::DecodeOptions options;
  options.lossy_text = true;
  return options;
}

std::string repaired(std::string text) {
  return unicode::find_invalid_utf8(text) ? unicode::replace_invalid_utf8(text) : text;
}

/// The object, belonging to this owner alone.
template <class T>
T& own(std::shared_ptr<T>& shared) {
  if (shared.use_count() > 1) shared = std::make_shared<T>(*shared);
  // What a former owner in another thread read, it read before this.
  std::atomic_thread_fence(std::memory_order_acquire);
  return *shared;
}

}  // namespace

void Row::refuse_place(std::size_t byte, const char* why) const {
  throw Error(ErrorCode::usage,
              fmt::format("byte {} of the {} of the document {}", byte, bytes(), why));
}

// Text of given ids; ids may end inside a character.
std::string Row::decode(std::span<const TokenId> ids) const {
  return repaired(pipeline_->decoder().decode(ids, lossy()));
}

const Row::Given& Row::decoded(const Section& section) const {
  Given& given = *section.given;
  if (given.decoded) return given;
  std::string text = decode(given.ids);
  given.bytes = text.size();
  if (rules_.keep_text) given.text = std::move(text);
  given.decoded = true;
  return given;
}

void Row::settle() const {
  if (!sections_.empty() && sections_.back().given) decoded(sections_.back());
}

std::string Row::text_of(const Section& section) const {
  const Given& given = decoded(section);
  return rules_.keep_text ? given.text : decode(given.ids);
}

std::size_t Row::bytes_of(const Section& section) const {
  return section.run ? section.run->document.rope().bytes() : decoded(section).bytes;
}

std::size_t Row::tokens_of(const Section& section) const {
  return section.run ? section.run->document.rope().tokens() : section.given->ids.size();
}

std::size_t Row::bytes() const { return sections_.empty() ? 0 : end_of(sections_.back()); }

std::size_t Row::tokens() const {
  return sections_.empty() ? 0 : sections_.back().token + tokens_of(sections_.back());
}

// The section that holds `byte`; their number when none does.
std::size_t Row::section_at(std::size_t byte) const {
  const auto after = std::upper_bound(sections_.begin(), sections_.end(), byte,
                                      [](std::size_t b, const Section& s) { return b < s.byte; });
  const auto index = static_cast<std::size_t>(after - sections_.begin());
  return index > 0 && end_of(sections_[index - 1]) > byte ? index - 1 : index;
}

Row::Run& Row::own_run(std::size_t index) { return own(sections_[index].run); }

// What the run counted becomes the row's.
void Row::drain(Run& run) {
  SessionStatistics& from = run.document.statistics;
  statistics.changes += from.changes;
  statistics.bytes_given += from.bytes_given;
  statistics.bytes_encoded += from.bytes_encoded;
  statistics.tokens_encoded += from.tokens_encoded;
  statistics.parts_encoded += from.parts_encoded;
  statistics.no_seam_before += from.no_seam_before;
  statistics.no_seam_behind += from.no_seam_behind;
  statistics.score_moved += from.score_moved;
  from = {};
}

// An empty run; the caller fills it or takes it away again.
void Row::put_run(std::size_t index) {
  if (index > 0 && sections_[index - 1].given) decoded(sections_[index - 1]);
  Section section;
  section.run = std::make_shared<Run>(Document(*pipeline_, filter_, grain_));
  sections_.insert(sections_.begin() + static_cast<std::ptrdiff_t>(index), std::move(section));
  number_from(index);
}

void Row::number_from(std::size_t index) {
  for (std::size_t i = index; i < sections_.size(); ++i) {
    sections_[i].byte = i == 0 ? 0 : end_of(sections_[i - 1]);
    sections_[i].token = i == 0 ? 0 : sections_[i - 1].token + tokens_of(sections_[i - 1]);
  }
}

Change Row::append(std::string_view text, bool trusted, encode::EncodeScratch& scratch) {
  trusted |= !rules_.trust;
  Change change;
  change.keep = tokens();
  if (text.empty()) return change;
  check_size(bytes() + text.size());
  check_text(text);
  const bool begins = sections_.empty() || !sections_.back().run;
  if (begins) put_run(sections_.size());
  const std::size_t index = sections_.size() - 1;
  Run& run = own_run(index);
  const std::size_t size = run.document.rope().bytes();
  const std::size_t end = size + text.size();
  const Span before = run.untrusted.empty() ? Span{} : run.untrusted.back();
  const bool grows = !trusted && before.end == size && size > 0;
  if (grows)
    run.untrusted.back().end = static_cast<std::uint32_t>(end);
  else if (!trusted)
    run.untrusted.push_back({static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(end)});
  try {
    Around around;
    around.untrusted = run.untrusted;
    change = run.document.replace(size, size, text, scratch, around);
  } catch (...) {
    if (grows)
      run.untrusted.back() = before;
    else if (!trusted)
      run.untrusted.pop_back();
    if (begins) sections_.pop_back();
    throw;
  }
  if (!run.marks.empty() && !fresh_ && run.marks.back().trusted == trusted &&
      run.marks.back().label == label_)
    run.marks.back().end = end;
  else
    run.marks.push_back({end, trusted, label_, kUnknown});
  fresh_ = false;
  if (!rules_.keep_text) {
    for (std::size_t i = run.marks.size() - 1; i-- > 0;) {
      Mark& mark = run.marks[i];
      if (mark.tokens != kUnknown && mark.end <= change.bytes_before) break;
      mark.tokens = run.document.tokens_before(mark.end, scratch, {run.untrusted, {}, {}});
    }
    run.document.seal();
  }
  drain(run);
  change.keep += sections_[index].token;
  return change;
}

Change Row::append_sampled(std::span<const TokenId> ids) {
  Change change;
  change.keep = tokens();
  if (ids.empty()) return change;
  for (const TokenId id : ids)
    if (!pipeline_->decoder().has(id))
      throw Error(ErrorCode::input, fmt::format("there is no token {}", id),
                  pipeline_->spec().path);
  const bool grows = !sections_.empty() && sections_.back().given && !fresh_ &&
                     sections_.back().given->label == label_;
  if (!grows) {
    Section section;
    section.byte = bytes();
    section.token = tokens();
    section.given = std::make_shared<Given>();
    section.given->label = label_;
    sections_.push_back(std::move(section));
  }
  Given& given = own(sections_.back().given);
  given.ids.insert(given.ids.end(), ids.begin(), ids.end());
  given.decoded = false;
  fresh_ = false;
  ++statistics.changes;
  change.ids.assign(ids.begin(), ids.end());
  return change;
}

// What stands at [begin, end) is not, or not all, trusted: what comes in its place is not either.
// Text put between two parts is untrusted when one of them is.
bool Row::safe_trust(std::size_t begin, std::size_t end) const {
  if (!rules_.trust) return true;
  const std::size_t low = begin == end && begin > 0 ? begin - 1 : begin;
  const std::size_t high = begin == end ? end + 1 : end;
  for (const Section& section : sections_) {
    if (end_of(section) <= low || section.byte >= high) continue;
    if (section.given) {
      if (begin < end) return false;
      continue;
    }
    for (const Span& range : section.run->untrusted)
      if (section.byte + range.begin < high && section.byte + range.end > low) return false;
  }
  return true;
}

// The parts of a run made of `left` before byte `begin`, `added` (ends after the text put in), and
// `right` behind byte `right_begin`. New text goes on an old part that touches it and is as
// trusted.
std::vector<Row::Mark> Row::marks_after(const std::vector<Mark>& left, std::size_t begin,
                                        const std::vector<Mark>& right, std::size_t right_begin,
                                        Mark added, bool same_run) {
  std::vector<Mark> out;
  std::size_t i = 0;
  for (; i < left.size() && (i == 0 ? 0 : left[i - 1].end) < begin; ++i) {
    out.push_back(left[i]);
    if (left[i].end > begin) out.back() = {begin, left[i].trusted, left[i].label, kUnknown};
  }
  std::size_t k = 0;
  while (k < right.size() && right[k].end <= right_begin) ++k;
  const bool one_part = same_run && i > 0 && i - 1 == k && k < right.size();
  if (added.end > begin) {
    if (!out.empty() && out.back().trusted == added.trusted) {
      out.back().end = added.end;
      out.back().tokens = kUnknown;
      if (one_part) out.pop_back();
    } else if (k == right.size() || right[k].trusted != added.trusted) {
      out.push_back(added);
    }
  } else if (one_part) {
    out.pop_back();
  }
  for (; k < right.size(); ++k) {
    Mark mark = right[k];
    mark.end = mark.end - right_begin + added.end;
    if (!same_run) mark.tokens = kUnknown;
    out.push_back(mark);
  }
  return out;
}

Change Row::change_run(std::size_t index, std::size_t begin, std::size_t end, std::string_view text,
                       std::vector<Mark> marks, const Around& around,
                       encode::EncodeScratch& scratch) {
  Run& run = own_run(index);
  std::vector<Span> untrusted;
  std::size_t from = 0;
  for (const Mark& mark : marks) {
    const Span range{static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(mark.end)};
    from = mark.end;
    if (mark.trusted) continue;
    if (!untrusted.empty() && untrusted.back().end == range.begin)
      untrusted.back().end = range.end;
    else
      untrusted.push_back(range);
  }
  Around told = around;
  told.untrusted = untrusted;
  const std::size_t tokens_before = run.document.rope().tokens();
  Change change = run.document.replace(begin, end, text, scratch, told);
  run.marks = std::move(marks);
  run.untrusted = std::move(untrusted);
  if (rules_.keep_text) return change;
  const Rope& rope = run.document.rope();
  for (std::size_t i = 0; i + 1 < run.marks.size(); ++i) {
    Mark& mark = run.marks[i];
    const bool known = mark.tokens != kUnknown;
    if (known && mark.end <= change.bytes_before) continue;
    if (known && rope.bytes() - mark.end <= change.bytes_behind)
      mark.tokens += rope.tokens() - tokens_before;
    else
      mark.tokens =
          run.document.tokens_before(mark.end, scratch, {run.untrusted, {}, around.right});
  }
  run.document.seal();
  return change;
}

Change Row::edit(std::size_t begin, std::size_t end, std::string_view text,
                 std::optional<bool> trusted, encode::EncodeScratch& scratch,
                 const Around& around) {
  if (begin > end || end > bytes())
    throw Error(ErrorCode::usage, fmt::format("bytes {}..{} are no place in a text of {} bytes",
                                              begin, end, bytes()));
  check_size(bytes() - (end - begin) + text.size());
  check_text(text);
  const bool trust =
      trusted.value_or(false) || !rules_.trust || (!trusted && safe_trust(begin, end));
  // The run that takes the text in: `left`, perhaps a new one, from its byte `at`.
  std::size_t left = section_at(begin);
  bool made = false;
  std::size_t at = 0;
  if (left < sections_.size() && sections_[left].run) {
    at = begin - sections_[left].byte;
  } else {
    if (left < sections_.size() && begin > sections_[left].byte)
      refuse_place(begin, "is inside ids that were given");
    if (left > 0 && sections_[left - 1].run && end_of(sections_[left - 1]) == begin) {
      --left;
      at = begin - sections_[left].byte;
    } else {
      made = true;
    }
  }
  // What lies behind: the run `right` from its byte `rest`, or what begins with section `right`.
  std::size_t right = left;
  std::size_t rest = at;
  bool joins = !made;
  if (end == begin) {
    // the same place
  } else if (!made && end <= end_of(sections_[left])) {
    rest = end - sections_[left].byte;
  } else {
    right = section_at(end - 1);
    rest = end - sections_[right].byte;
    const bool inside = end < end_of(sections_[right]);
    if (inside && !sections_[right].run) refuse_place(end, "is inside ids that were given");
    if (!inside) {
      ++right;
      rest = 0;
    }
    joins = right < sections_.size() && sections_[right].run;
  }
  const auto character = [&](std::size_t section, std::size_t byte) {
    const Rope& rope = sections_[section].run->document.rope();
    const bool seen = byte == rope.bytes() || byte >= rope.text_from();
    return seen ? rope.at_character(byte)
                : !around.left.empty() || !around.right.empty() || byte == 0;
  };
  if (!made && !character(left, at)) refuse_place(begin, "is inside a character, or not kept");
  if (joins && !character(right, rest)) refuse_place(end, "is inside a character, or not kept");

  std::size_t tokens_behind =
      tokens() - (right < sections_.size() ? sections_[right].token : tokens());
  if (joins) tokens_behind -= tokens_of(sections_[right]);
  const bool same = joins && right == left;
  if (made) {
    put_run(left);
    ++right;
  }
  Change change;
  try {
    const Section& l = sections_[left];
    const std::size_t size = l.run->document.rope().bytes();
    Around told;
    told.left = around.left.substr(around.left.size() - std::min(around.left.size(), at));
    const Mark added{at + text.size(), trust, label_, kUnknown};
    if (same) {
      told.right = around.right.substr(0, std::min(around.right.size(), size - rest));
      change =
          change_run(left, at, rest, text,
                     marks_after(l.run->marks, at, l.run->marks, rest, added, true), told, scratch);
    } else {
      std::string joined(text);
      static const std::vector<Mark> none;
      const std::vector<Mark>* behind = &none;
      if (joins) {
        const Rope& rope = sections_[right].run->document.rope();
        behind = &sections_[right].run->marks;
        if (rest >= rope.text_from())
          rope.append_text(rest, rope.bytes(), joined);
        else if (around.right.size() >= rope.bytes() - rest)
          joined += around.right.substr(0, rope.bytes() - rest);
        else
          refuse_place(end, "is followed by text that is not kept");
      }
      std::vector<Mark> marks = marks_after(l.run->marks, at, *behind, rest, added, false);
      change = change_run(left, at, size, joined, std::move(marks), told, scratch);
    }
  } catch (...) {
    if (made) sections_.erase(sections_.begin() + static_cast<std::ptrdiff_t>(left));
    number_from(left);
    throw;
  }
  const std::size_t keep = sections_[left].token;
  if (!same) {
    const std::size_t stop = joins ? right + 1 : right;
    sections_.erase(sections_.begin() + static_cast<std::ptrdiff_t>(left) + 1,
                    sections_.begin() + static_cast<std::ptrdiff_t>(std::max(stop, left + 1)));
  }
  drain(*sections_[left].run);
  if (sections_[left].run->document.rope().bytes() == 0)
    sections_.erase(sections_.begin() + static_cast<std::ptrdiff_t>(left));
  number_from(left);
  change.keep += keep;
  change.tail += tokens_behind;
  return change;
}

Change Row::update(std::string_view full, encode::EncodeScratch& scratch) {
  // Common prefix. It ends inside given ids only to begin before them.
  std::size_t begin = 0;
  std::size_t shared = 0;
  for (const Section& section : sections_) {
    const std::string_view theirs = full.substr(section.byte);
    const std::size_t size = bytes_of(section);
    std::size_t same = 0;
    if (section.run) {
      const Rope& rope = section.run->document.rope();
      same = rope.common_prefix(theirs);
      shared = section.byte + same;
      // Behind a common prefix that ends at a border in one text it does so in the other, unless
      // one of them ends there; where text is not kept a prefix ends at a seam.
      while (same > rope.text_from() &&
             ((same < theirs.size() && continues(theirs[same])) || !rope.at_character(same)))
        --same;
      begin = section.byte + same;
      if (same < size) break;
    } else {
      const std::string mine = text_of(section);
      same = static_cast<std::size_t>(
          std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end()).first -
          mine.begin());
      shared = section.byte + same;
      if (same < size) break;
      begin = shared;
    }
  }
  // Common suffix of what follows.
  const std::size_t all = bytes();
  std::size_t end = all;
  for (auto at = sections_.rbegin(); at != sections_.rend(); ++at) {
    const std::size_t size = bytes_of(*at);
    const std::size_t behind = all - at->byte - size;
    const std::size_t room = std::min(full.size() - std::min(full.size(), shared + behind),
                                      all - shared - std::min(all - shared, behind));
    if (room == 0) break;
    const std::string_view theirs = full.substr(0, full.size() - behind);
    std::size_t same = 0;
    if (at->run) {
      const Rope& rope = at->run->document.rope();
      const std::size_t usable = std::min({room, size, theirs.size()});
      same = rope.common_suffix(theirs.substr(theirs.size() - usable), 0);
      while (same > 0 && continues(theirs[theirs.size() - same])) --same;
      end = at->byte + size - same;
    } else {
      const std::string mine = text_of(*at);
      if (size <= room && theirs.ends_with(mine)) same = size;
      if (same < size) break;
      end = at->byte;
    }
    if (same < size) break;
  }
  end = std::max(end, begin);
  // Ids that the change cuts go as a whole.
  if (const std::size_t index = section_at(end);
      index < sections_.size() && sections_[index].given && sections_[index].byte < end)
    end = end_of(sections_[index]);
  Change change;
  change.keep = tokens();
  if (begin == all && full.size() == all) return change;
  const std::size_t same = all - end;
  Around around;
  if (!rules_.keep_text) {
    around.left = full.substr(0, begin);
    around.right = full.substr(full.size() - same);
  }
  return edit(begin, end, full.substr(begin, full.size() - same - begin), std::nullopt, scratch,
              around);
}

std::size_t Row::text_needed(std::size_t bytes) const {
  const std::size_t index = section_at(bytes);
  if (index == sections_.size() || !sections_[index].run) return 0;
  const Document& document = sections_[index].run->document;
  const std::size_t at = bytes - sections_[index].byte;
  const std::size_t needed = document.left_needed(at);
  return at - needed >= document.rope().text_from() ? 0 : needed;
}

Change Row::rewind(std::size_t bytes, encode::EncodeScratch& scratch, std::string_view before) {
  const std::size_t size = this->bytes();
  const std::size_t index = section_at(bytes);
  Change change;
  change.keep = tokens();
  if (bytes > size) refuse_place(bytes, "is behind its end");
  if (index == sections_.size()) return change;
  if (sections_[index].run) {
    const std::size_t at = bytes - sections_[index].byte;
    const Run& run = *sections_[index].run;
    const Rope& rope = run.document.rope();
    if (at < rope.text_from()) check_text(before);
    if (at >= rope.text_from() && !rope.at_character(at))
      refuse_place(bytes, "is inside a character");
    Around around;
    around.left = before.substr(before.size() - std::min(before.size(), at));
    change = change_run(index, at, rope.bytes(), {}, marks_after(run.marks, at, {}, 0, {at}, false),
                        around, scratch);
    drain(*sections_[index].run);
    change.keep += sections_[index].token;
    sections_.resize(at == 0 ? index : index + 1);
    return change;
  }
  if (bytes == sections_[index].byte) {
    change.keep = sections_[index].token;
    sections_.resize(index);
    ++statistics.changes;
    return change;
  }
  // As many of the given ids as have this text.
  const Section& section = sections_[index];
  const std::string text = text_of(section);
  const std::string_view wanted = std::string_view(text).substr(0, bytes - section.byte);
  const std::vector<TokenId>& ids = section.given->ids;
  // What a stream holds back is at most three times as long when it is given out.
  decode::Stream stream(pipeline_->decoder(), lossy());
  std::size_t out = 0, keep = ids.size();
  for (std::size_t n = 0; n < ids.size() && out <= wanted.size(); ++n) {
    if (out + 3 * stream.held_bytes() + 8 >= wanted.size() &&
        decode(std::span(ids).first(n)) == wanted) {
      keep = n;
      break;
    }
    out += repaired(stream.push(ids[n])).size();
  }
  if (keep == ids.size()) refuse_place(bytes, "is inside a token that was given");
  change.keep = section.token + keep;
  auto cut = std::make_shared<Given>();
  cut->ids.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(keep));
  cut->label = section.given->label;
  sections_.resize(index + 1);
  sections_[index].given = std::move(cut);
  ++statistics.changes;
  return change;
}

void Row::append_text(std::string& out) const {
  for (const Section& section : sections_) {
    if (section.given)
      out += text_of(section);
    else
      section.run->document.rope().append_text(0, bytes_of(section), out);
  }
}

void Row::append_ids(std::vector<TokenId>& out) const {
  for (const Section& section : sections_) {
    if (section.given)
      out.insert(out.end(), section.given->ids.begin(), section.given->ids.end());
    else
      section.run->document.rope().append_ids(0, tokens_of(section), out);
  }
}

std::vector<PartRange> Row::part_ranges(encode::EncodeScratch& scratch) const {
  std::vector<PartRange> out;
  for (const Section& section : sections_) {
    PartRange range;
    range.begin = section.byte;
    range.first = section.token;
    if (section.given) {
      range.kind = PartKind::sampled;
      range.label = section.given->label;
      range.end = end_of(section);
      range.last = section.token + tokens_of(section);
      out.push_back(range);
      continue;
    }
    const Run& run = *section.run;
    for (std::size_t i = 0; i < run.marks.size(); ++i) {
      const Mark& mark = run.marks[i];
      std::size_t tokens = mark.tokens;
      if (i + 1 == run.marks.size())
        tokens = tokens_of(section);
      else if (tokens == kUnknown)
        tokens = run.document.tokens_before(mark.end, scratch, {run.untrusted, {}, {}});
      range.kind = mark.trusted ? PartKind::text : PartKind::untrusted;
      range.label = mark.label;
      range.end = section.byte + mark.end;
      range.last = section.token + tokens;
      out.push_back(range);
      range.begin = range.end;
      range.first = range.last;
    }
  }
  return out;
}

Drift Row::drift(encode::EncodeScratch& scratch) const {
  std::string text;
  append_text(text);
  std::vector<TokenId> ids;
  append_ids(ids);
  std::vector<Span> untrusted;
  for (const Section& section : sections_) {
    if (!section.run) continue;
    const auto base = static_cast<std::uint32_t>(section.byte);
    for (const Span& range : section.run->untrusted)
      untrusted.push_back({base + range.begin, base + range.end});
  }
  encode::EncodeWants wants;
  wants.untrusted.ranges = untrusted;
  Encoding out;
  pipeline_->run(text, *filter_, wants, scratch, out);
  Drift drift = compare(ids, out.ids);
  drift.byte = drift.canonical
                   ? text.size()
                   : begin_in(*pipeline_, text, *filter_, untrusted, scratch, drift.token, 0);
  return drift;
}

void Row::clear() {
  sections_.clear();
  label_ = 0;
  fresh_ = false;
}

std::size_t Row::memory() const {
  std::size_t sum = sections_.capacity() * sizeof(Section);
  for (const Section& section : sections_) {
    if (section.given)
      sum += sizeof(Given) + section.given->ids.capacity() * sizeof(TokenId) +
             section.given->text.capacity();
    else
      sum += sizeof(Run) + section.run->document.rope().memory() +
             section.run->marks.capacity() * sizeof(Mark) +
             section.run->untrusted.capacity() * sizeof(Span);
  }
  return sum;
}

}  // namespace toktier::session
