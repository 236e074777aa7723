#include "session/document.hpp"

#include "toktier/error.hpp"

#include <algorithm>

namespace toktier::session {

using encode::Seams;

namespace {

// Where seams are looked for at a time.
constexpr std::size_t kSearchBytes = std::size_t{4} << 10;
// Buffers above this are given back after use.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

/// The ranges in [begin, end), counted from `begin`.
void clip(std::span<const Span> ranges, std::size_t begin, std::size_t end,
          std::vector<Span>& out) {
  out.clear();
  auto at = std::partition_point(ranges.begin(), ranges.end(),
                                 [&](const Span& range) { return range.end <= begin; });
  for (; at != ranges.end() && at->begin < end; ++at)
    out.push_back({static_cast<std::uint32_t>(std::max<std::size_t>(at->begin, begin) - begin),
                   static_cast<std::uint32_t>(std::min<std::size_t>(at->end, end) - begin)});
}

}  // namespace

// The new text of a stretch and what is known of its ids, from a seam on the left.
struct Document::Window {
  std::string text;       // context on the left, the stretch, context on the right
  std::size_t begin = 0;  // in text: the stretch
  std::size_t end = 0;
  std::size_t done = 0;    // in text: encoded up to here
  std::size_t offset = 0;  // of text in the new document
  std::span<const Span> untrusted;
  encode::EncodeWants wants;
  std::vector<Span> ranges;
  bool first = false;  // the stretch begins the document
  double carry = 0;    // at `done`
  Encoding out;
  std::vector<Stretch> stretches;

  void start() {
    text.clear();
    out.clear();
    stretches.clear();
  }
  void shrink() {
    if (text.capacity() > kKeptBytes) std::string().swap(text);
    if (out.ids.capacity() > kKeptBytes) std::vector<TokenId>().swap(out.ids);
  }
};

void Document::encode_part(Window& w, std::size_t end, bool open_right,
                           encode::EncodeScratch& scratch) {
  if (w.done == end) return;
  encode::Part part;
  part.open_left = !w.first || w.done > w.begin;
  part.open_right = open_right;
  part.carry = w.carry;
  part.ahead = open_right ? pipeline_->seams().ahead(w.text, end) : 0;
  part.text = std::string_view(w.text).substr(w.done, end - w.done + part.ahead);
  const std::size_t before = w.out.ids.size();
  const Stretch stretch{end - w.done, 0, w.carry};
  if (!w.untrusted.empty()) {
    clip(w.untrusted, w.offset + w.done, w.offset + w.done + part.text.size(), w.ranges);
    w.wants.untrusted.ranges = w.ranges;
  }
  pipeline_->run_part(part, *filter_, w.wants, scratch, w.out);
  w.stretches.push_back(stretch);
  w.stretches.back().tokens = w.out.ids.size() - before;
  w.carry = part.carry;
  w.done = end;
  ++statistics.parts_encoded;
}

// Encodes from w.done to w.end, in parts at the seams found on the way. Toward the end of the
// document the last seam there is also begins a part, so that an append starts from it.
void Document::encode_parts(Window& w, bool to_the_end, encode::EncodeScratch& scratch) {
  const Seams& seams = pipeline_->seams();
  const std::string_view text = w.text;
  const std::size_t spacing = rope_.grain().spacing;
  for (std::size_t from = w.done + spacing; from + spacing / 2 < w.end;) {
    const std::size_t to = std::min(from + kSearchBytes, w.end);
    std::size_t aligned = from;
    while (aligned < w.end && (static_cast<unsigned char>(text[aligned]) & 0xC0) == 0x80) ++aligned;
    if (aligned == w.end) break;
    const std::size_t seam = seams.first(text, aligned, to, scratch);
    if (seam == Seams::kNone || seam >= w.end) {
      from += kSearchBytes;
      continue;
    }
    encode_part(w, seam, true, scratch);
    from = w.done + spacing;
  }
  if (to_the_end && w.done < w.end) {
    const std::size_t seam = seams.last(text, w.done, scratch);
    if (seam != Seams::kNone && seam > w.done) encode_part(w, seam, true, scratch);
  }
  encode_part(w, w.end, !to_the_end, scratch);
}

// A seam stays one when the bytes its proof looked at stay: on the left those up to behind()
// behind it, on the right those from before() before it. An append changes no byte, so all stay.
Place Document::last_seam_before(std::size_t begin) const {
  const std::size_t behind = pipeline_->seams().behind();
  if (begin == rope_.bytes()) return rope_.seam_at_or_before(begin);
  return begin > behind ? rope_.seam_at_or_before(begin - behind) : Place{};
}

std::size_t Document::left_needed(std::size_t begin) const {
  return begin - last_seam_before(begin).byte;
}

Change Document::replace(std::size_t begin, std::size_t end, std::string_view text,
                         encode::EncodeScratch& scratch, const Around& around) {
  const Seams& seams = pipeline_->seams();
  const std::size_t size = rope_.bytes();
  const Place document_end{size, rope_.tokens(), 0};
  const Place from = last_seam_before(begin);
  Place to = document_end;
  if (end < size && end + seams.before() < size) {
    const auto seam = rope_.seam_at_or_behind(end + seams.before());
    if (seam) to = *seam;
  }
  thread_local Window w;
  w.start();
  w.untrusted = around.untrusted;
  w.wants.untrusted.ranges = {};
  const std::size_t kept = rope_.text_from();
  const auto load = [&](const Place& until) {
    std::size_t context = from.byte - std::min(from.byte, seams.before() + 4);
    std::size_t shown = std::min(size, until.byte + seams.behind() + 4);
    w.text.clear();
    // What is given is what is kept, where both are.
    const std::size_t given = begin - around.left.size();
    context = std::max(context, std::min(kept, given));
    if (context > from.byte || (around.right.empty() && end < std::min(shown, kept)))
      throw Error(ErrorCode::usage, "the text at the change is not kept, and it is not given");
    if (context < given)
      rope_.append_text(context, begin, w.text);
    else
      w.text += around.left.substr(context - given);
    std::size_t cut = 0;
    while (cut < w.text.size() && (static_cast<unsigned char>(w.text[cut]) & 0xC0) == 0x80) ++cut;
    w.text.erase(0, cut);
    context += cut;
    w.text += text;
    if (around.right.empty()) {
      while (!rope_.at_character(shown)) --shown;
      rope_.append_text(end, shown, w.text);
    } else {
      const auto continues = [&](std::size_t at) {
        return at < size && (static_cast<unsigned char>(around.right[at - end]) & 0xC0) == 0x80;
      };
      while (continues(shown)) --shown;
      w.text += around.right.substr(0, shown - end);
    }
    // The stretch's bytes keep their places when more is loaded behind it.
    w.begin = from.byte - context;
    w.end = w.text.size() - (shown - until.byte);
    w.offset = context;
  };
  load(to);
  w.done = w.begin;
  w.first = from.byte == 0;
  w.carry = from.carry;
  const SessionStatistics before = statistics;
  if (begin > 0 && from.byte == 0) ++statistics.no_seam_before;
  if (end < size && to.byte == size) ++statistics.no_seam_behind;
  try {
    encode_parts(w, to.byte == size, scratch);
    if (to.byte != size && seams.carries() && w.carry != to.carry) {
      ++statistics.score_moved;
      to = document_end;
      load(to);
      encode_parts(w, true, scratch);
    }
  } catch (...) {
    statistics = before;
    w.shrink();
    throw;
  }

  ++statistics.changes;
  statistics.bytes_given += text.size();
  statistics.bytes_encoded += w.end - w.begin;
  statistics.tokens_encoded += w.out.ids.size();

  // Of the ids encoded again, those at the ends that are as before need not be told.
  std::vector<TokenId> old;
  rope_.append_ids(from.token, to.token, old);
  const std::vector<TokenId>& fresh = w.out.ids;
  const auto same =
      std::mismatch(old.begin(), old.end(), fresh.begin(), fresh.end()).first - old.begin();
  std::size_t tail = 0;
  if (to.byte != size) {
    const std::size_t most = std::min(old.size(), fresh.size()) - static_cast<std::size_t>(same);
    while (tail < most && old[old.size() - 1 - tail] == fresh[fresh.size() - 1 - tail]) ++tail;
  }
  Change change;
  change.keep = from.token + static_cast<std::size_t>(same);
  change.ids.assign(fresh.begin() + same, fresh.end() - static_cast<std::ptrdiff_t>(tail));
  change.tail = document_end.token - to.token + tail;
  change.bytes_before = from.byte;
  change.bytes_behind = size - to.byte;

  rope_.splice(from, to, std::string_view(w.text).substr(w.begin, w.end - w.begin),
               w.out.ids.data(), w.stretches);
  w.shrink();
  return change;
}

// Encodes what lies between two seams, or ends, once more, for its spans; they count from `from`.
void Document::spans_between(const Place& from, const Place& to, const Around& around,
                             encode::EncodeScratch& scratch, Encoding& out) const {
  const std::size_t size = rope_.bytes();
  std::string text;
  rope_.append_text(from.byte, to.byte, text);
  // A character is shown; four bytes hold it.
  const std::size_t given = size - around.right.size();
  if (to.byte >= given)
    text += around.right.substr(to.byte - given, 4);
  else
    rope_.append_text(to.byte, std::min(size, to.byte + 4), text);
  encode::Part part;
  part.open_left = from.byte > 0;
  part.open_right = to.byte < size;
  part.carry = from.carry;
  const std::size_t length = to.byte - from.byte;
  part.ahead = part.open_right ? pipeline_->seams().ahead(text, length) : 0;
  part.text = std::string_view(text).substr(0, length + part.ahead);
  std::vector<Span> ranges;
  clip(around.untrusted, from.byte, from.byte + part.text.size(), ranges);
  encode::EncodeWants wants;
  wants.spans = true;
  wants.untrusted.ranges = ranges;
  out.clear();
  pipeline_->run_part(part, *filter_, wants, scratch, out);
}

std::size_t Document::tokens_before(std::size_t byte, encode::EncodeScratch& scratch,
                                    const Around& around) const {
  const Place from = rope_.seam_at_or_before(byte);
  if (from.byte == byte) return from.token;
  if (byte >= rope_.bytes()) return rope_.tokens();
  const Place to = rope_.seam_at_or_behind(byte).value_or(Place{rope_.bytes(), rope_.tokens(), 0});
  Encoding out;
  spans_between(from, to, around, scratch, out);
  const auto first = std::find_if(out.spans.begin(), out.spans.end(),
                                  [&](const Span& span) { return from.byte + span.begin >= byte; });
  return from.token + static_cast<std::size_t>(first - out.spans.begin());
}

std::size_t Document::begin_of(std::size_t token, encode::EncodeScratch& scratch,
                               const Around& around) const {
  if (token >= rope_.tokens()) return rope_.bytes();
  const auto [from, to] = rope_.seams_around(token);
  Encoding out;
  spans_between(from, to, around, scratch, out);
  return from.byte + out.spans.at(token - from.token).begin;
}

}  // namespace toktier::session
