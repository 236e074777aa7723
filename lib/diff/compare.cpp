#include "diff/compare.hpp"

#include "report/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace toktier::diff {
namespace {

template <class T>
std::size_t mismatch(const std::vector<T>& a, const std::vector<T>& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

/// Byte offset of entry `index`, from the spans of whichever side has them there.
std::size_t byte_of(std::size_t index, const std::vector<Span>& a, const std::vector<Span>& b) {
  if (index < a.size()) return a[index].begin;
  if (index < b.size()) return b[index].begin;
  return a.empty() ? 0 : a.back().end;
}

std::optional<Difference> refusal(std::string check, const Answer& ours, const Answer& theirs) {
  Difference difference;
  difference.check = std::move(check);
  difference.stage = ours.status != AnswerStatus::ok ? "refusal-ours" : "refusal-theirs";
  if ((ours.status == AnswerStatus::ok) == (theirs.status == AnswerStatus::ok)) return std::nullopt;
  return difference;
}

/// True when the pieces differ at or before `byte`.
bool pieces_part_before(const Answer& ours, const Answer& theirs, std::size_t byte) {
  const std::size_t at = mismatch(ours.pieces, theirs.pieces);
  if (at == ours.pieces.size() && at == theirs.pieces.size()) return false;
  std::size_t begin = SIZE_MAX;
  if (at < ours.pieces.size()) begin = ours.pieces[at].begin;
  if (at < theirs.pieces.size()) begin = std::min<std::size_t>(begin, theirs.pieces[at].begin);
  return begin <= byte;
}

std::string stage_of(const Answer& ours, const Answer& theirs, std::size_t ours_size,
                     std::size_t theirs_size, const Difference& difference) {
  // The pieces themselves cannot be blamed on the pieces: only how they part is told.
  const bool have_pieces =
      difference.check != "pieces" && !ours.pieces.empty() && !theirs.pieces.empty();
  if (have_pieces && pieces_part_before(ours, theirs, difference.byte)) return "pieces";
  if (difference.index == std::min(ours_size, theirs_size)) return "tail";
  return have_pieces ? "model" : difference.check;
}

std::string entry_text(std::string_view text, const Span& span) {
  if (span.begin > span.end || span.end > text.size()) {
    return fmt::format("[{}, {}) outside", span.begin, span.end);
  }
  return '"' + report::escape_preview(text.substr(span.begin, span.end - span.begin), 40) + '"';
}

std::string show_side(std::string_view text, const Difference& difference, const Answer& answer,
                      std::size_t around) {
  if (answer.status != AnswerStatus::ok) return "refused: " + answer.error;
  const bool pieces = difference.check == "pieces";
  const std::vector<Span>& spans = pieces ? answer.pieces : answer.spans;
  const std::size_t size = pieces ? spans.size() : answer.ids.size();
  const std::size_t begin = difference.index > around ? difference.index - around : 0;
  const std::size_t end = std::min(size, difference.index + around + 1);
  std::string out = begin > 0 ? "..." : "";
  for (std::size_t i = begin; i < end; ++i) {
    if (!out.empty()) out += ' ';
    std::string entry;
    if (!pieces) entry = fmt::format("{}", answer.ids[i]);
    if (i < spans.size()) {
      if (!entry.empty()) entry += ' ';
      if (difference.check == "spans") {
        entry += fmt::format("[{},{}) ", spans[i].begin, spans[i].end);
      }
      entry += entry_text(text, spans[i]);
    }
    out += i == difference.index ? ">" + entry + "<" : entry;
  }
  if (difference.index >= size) out += out.empty() ? ">end<" : " >end<";
  if (end < size) fmt::format_to(std::back_inserter(out), " ...({} in all)", size);
  return out;
}

}  // namespace

std::optional<Difference> first_difference(std::uint32_t part, const Answer& ours,
                                           const Answer& theirs) {
  const char* check = part == kIds ? "ids" : part == kSpans ? "spans" : "pieces";
  if (ours.status != AnswerStatus::ok || theirs.status != AnswerStatus::ok) {
    return refusal(check, ours, theirs);
  }
  Difference difference;
  difference.check = check;
  std::size_t ours_size = ours.ids.size(), theirs_size = theirs.ids.size();
  if (part == kIds) {
    difference.index = mismatch(ours.ids, theirs.ids);
    difference.byte = byte_of(difference.index, ours.spans, theirs.spans);
  } else {
    const std::vector<Span>& a = part == kSpans ? ours.spans : ours.pieces;
    const std::vector<Span>& b = part == kSpans ? theirs.spans : theirs.pieces;
    ours_size = a.size();
    theirs_size = b.size();
    difference.index = mismatch(a, b);
    difference.byte = byte_of(difference.index, a, b);
  }
  if (difference.index == ours_size && difference.index == theirs_size) return std::nullopt;
  difference.stage = stage_of(ours, theirs, ours_size, theirs_size, difference);
  return difference;
}

std::optional<Difference> first_difference(const Decoded& ours, const Decoded& theirs) {
  Difference difference;
  difference.check = "decode";
  const bool a = ours.status == AnswerStatus::ok, b = theirs.status == AnswerStatus::ok;
  if (a != b) {
    difference.stage = a ? "refusal-theirs" : "refusal-ours";
    return difference;
  }
  if (!a || ours.text == theirs.text) return std::nullopt;
  const auto at =
      std::mismatch(ours.text.begin(), ours.text.end(), theirs.text.begin(), theirs.text.end());
  difference.index = difference.byte = static_cast<std::size_t>(at.first - ours.text.begin());
  difference.stage =
      difference.index == std::min(ours.text.size(), theirs.text.size()) ? "tail" : "decode";
  return difference;
}

Window show_window(std::string_view text, const Difference& difference, const Answer& ours,
                   const Answer& theirs, std::size_t around) {
  return {show_side(text, difference, ours, around), show_side(text, difference, theirs, around)};
}

Window show_window(const Difference& difference, const Decoded& ours, const Decoded& theirs,
                   std::size_t around) {
  const auto side = [&](const Decoded& decoded) {
    if (decoded.status != AnswerStatus::ok) return "refused: " + decoded.error;
    const std::size_t begin = difference.byte > around ? difference.byte - around : 0;
    const std::string_view text = decoded.text;
    return (begin > 0 ? "..." : "") + report::escape(text.substr(begin, difference.byte - begin)) +
           ">" +
           report::escape_preview(text.substr(std::min(difference.byte, text.size())), around * 4) +
           "<";
  };
  return {side(ours), side(theirs)};
}

}  // namespace toktier::diff
