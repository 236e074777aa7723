#include "oracle/naive_text.hpp"

#include "unicode/utf8.hpp"

namespace toktier::oracle {

namespace {

std::uint32_t u32(std::size_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace

std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = unicode::decode(text.data() + at).length;
    out.emplace_back(text.substr(at, length));
    at += length;
  }
  return out;
}

NaiveText naive_text(std::string_view document, std::size_t begin, std::size_t end) {
  NaiveText out;
  out.text = std::string(document.substr(begin, end - begin));
  out.shift = u32(begin);
  out.original_size = u32(end - begin);
  std::uint32_t at = out.shift;
  for (const std::string& character : characters(out.text)) {
    const std::uint32_t next = at + u32(character.size());
    for (std::size_t i = 0; i < character.size(); ++i) out.sources.push_back({at, next});
    at = next;
  }
  return out;
}

NaiveText naive_text(const unicode::AlignedText& text, std::size_t original_size) {
  NaiveText out;
  out.text = std::string(text.text());
  out.shift = text.base();
  out.original_size = u32(original_size);
  for (std::uint32_t at = 0; at < out.text.size(); ++at) out.sources.push_back(text.source(at));
  return out;
}

NaiveText slice(const NaiveText& text, std::size_t begin, std::size_t end) {
  NaiveText out;
  out.text = text.text.substr(begin, end - begin);
  for (std::size_t at = begin; at < end; ++at) out.sources.push_back(text.sources[at]);
  const Span whole = original(text, begin, end);
  out.shift = whole.begin;
  out.original_size = whole.end > whole.begin ? whole.end - whole.begin : 0;
  return out;
}

Span original(const NaiveText& text, std::size_t begin, std::size_t end) {
  if (begin == end) return {text.shift + u32(begin), text.shift + u32(end)};
  if (end > text.sources.size()) return {u32(begin), u32(end)};
  return {text.sources[begin].begin, text.sources[end - 1].end};
}

void rewrite(NaiveText& text, std::size_t begin, std::size_t end,
             const std::vector<NaiveChange>& changes) {
  const std::vector<std::string> present =
      characters(std::string_view(text.text).substr(begin, end - begin));
  std::string new_text;
  std::vector<Span> new_sources;
  std::size_t next = 0;    // of the present characters
  std::size_t at = begin;  // byte after the present characters used up
  for (const NaiveChange& c : changes) {
    Span source{text.shift, text.shift};
    const bool added = c.change > 0;
    if (!added || at > 0) {
      const std::size_t from = added ? at - 1 : at;
      if (from >= text.sources.size()) {
        throw Error(ErrorCode::unsupported,
                    "naive: the reference fails here, its alignment map ends early");
      }
      source = text.sources[from];
    }
    if (!added && next < present.size()) at += present[next++].size();
    new_text += c.character;
    new_sources.insert(new_sources.end(), c.character.size(), source);
  }
  text.text.replace(begin, end - begin, new_text);
  const auto first = text.sources.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = text.sources.begin() + static_cast<std::ptrdiff_t>(end);
  const auto place = text.sources.erase(first, last);
  text.sources.insert(place, new_sources.begin(), new_sources.end());
}

void rewrite_all(NaiveText& text, const std::vector<NaiveChange>& changes) {
  // The reference looks up which bytes stand for its whole original, and passes over those at the
  // beginning that stand for nothing; an empty original it takes for the empty range at 0.
  if (text.original_size == 0) {
    rewrite(text, 0, 0, changes);
    return;
  }
  const std::size_t limit = std::size_t{text.shift} + text.original_size;
  std::size_t end = 0;
  while (end < text.sources.size() && text.sources[end].end <= limit) ++end;
  if (end == 0) return;
  std::size_t begin = 0;
  while (begin < end && text.sources[begin].begin == text.sources[begin].end) ++begin;
  rewrite(text, begin, end, changes);
}

void prepend(NaiveText& text, const std::string& character) {
  const std::string first = characters(text.text).front();
  rewrite(text, 0, first.size(), {{character, 0}, {first, 1}});
}

}  // namespace toktier::oracle
