#include "session/document.hpp"

#include <algorithm>

namespace toktier::session {

using encode::Seams;

namespace {

// Where seams are looked for at a time.
constexpr std::size_t kSearchBytes = std::size_t{4} << 10;
// Buffers above this are given back after use.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

}  // namespace

// The new text of a stretch and what is known of its ids, from a seam on the left.
struct Document::Window {
  std::string text;       // context on the left, the stretch, context on the right
  std::size_t begin = 0;  // in text: the stretch
  std::size_t end = 0;
  std::size_t done = 0;  // in text: encoded up to here
  bool first = false;    // the stretch begins the document
  double carry = 0;      // at `done`
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
  pipeline_->run_part(part, *filter_, scratch, w.out);
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

Change Document::replace(std::size_t begin, std::size_t end, std::string_view text,
                         encode::EncodeScratch& scratch) {
  const Seams& seams = pipeline_->seams();
  const std::size_t size = rope_.bytes();
  const Place document_end{size, rope_.tokens(), 0};

  // A seam stays one when the bytes its proof looked at stay: on the left those up to behind()
  // behind it, on the right those from before() before it.
  // An append changes no byte, so all seams stay.
  Place from{};
  if (begin == size) {
    from = rope_.seam_at_or_before(size);
  } else if (begin > seams.behind()) {
    from = rope_.seam_at_or_before(begin - seams.behind());
  }
  Place to = document_end;
  if (end < size && end + seams.before() < size) {
    const auto seam = rope_.seam_at_or_behind(end + seams.before());
    if (seam) to = *seam;
  }
  if (begin > 0 && from.byte == 0) ++statistics.no_seam_before;
  if (end < size && to.byte == size) ++statistics.no_seam_behind;

  thread_local Window w;
  w.start();
  const auto load = [&](const Place& until) {
    std::size_t context = from.byte - std::min(from.byte, seams.before() + 4);
    std::size_t shown = std::min(size, until.byte + seams.behind() + 4);
    while (!rope_.at_character(context)) ++context;
    while (!rope_.at_character(shown)) --shown;
    w.text.clear();
    rope_.append_text(context, begin, w.text);
    w.text += text;
    rope_.append_text(end, shown, w.text);
    // The stretch's bytes keep their places when more is loaded behind it.
    w.begin = from.byte - context;
    w.end = w.text.size() - (shown - until.byte);
  };
  load(to);
  w.done = w.begin;
  w.first = from.byte == 0;
  w.carry = from.carry;
  const SessionStatistics before = statistics;
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

  rope_.splice(from, to, std::string_view(w.text).substr(w.begin, w.end - w.begin),
               w.out.ids.data(), w.stretches);
  w.shrink();
  return change;
}

}  // namespace toktier::session
