#include "apps/bench/text_set.hpp"

#include "base/sha256.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace toktier::bench {

TextSet read_text_set(const std::vector<std::string>& files, const io::InputOptions& options,
                      std::uint64_t max_bytes) {
  TextSet set;
  set.name = files.size() == 1 ? std::filesystem::path(files.front()).filename().string()
                               : fmt::format("{} inputs", files.size());
  base::Sha256 hash;
  const auto reader = io::read_files(files, options.records, options.stop);
  io::Document document;
  while ((max_bytes == 0 || set.bytes < max_bytes) && reader->next(document)) {
    if (const auto invalid = unicode::find_invalid_utf8(document.text)) {
      throw Error(ErrorCode::input, fmt::format("not UTF-8 at byte {}", *invalid), document.id);
    }
    hash.update(document.text);
    set.bytes += document.text.size();
    set.ids.push_back(document.id);
    set.texts.push_back(document.text);
  }
  if (set.bytes == 0) throw Error(ErrorCode::input, "no text in the input", set.name);
  set.sha256 = hash.hex();
  return set;
}

std::vector<TextSet> read_text_sets(const io::InputOptions& options, std::uint64_t max_bytes,
                                    bool each, bool quiet) {
  io::Skipped skipped;
  const std::vector<std::string> files = io::list_inputs(options, nullptr, &skipped);
  if (!skipped.empty() && !quiet) fmt::print(stderr, "toktier-bench: {}\n", io::describe(skipped));
  std::vector<TextSet> sets;
  if (!each) {
    sets.push_back(read_text_set(files, options, max_bytes));
    return sets;
  }
  for (const std::string& file : files) sets.push_back(read_text_set({file}, options, max_bytes));
  return sets;
}

std::string beginning(const TextSet& set, std::uint64_t max_bytes) {
  std::string text;
  for (const std::string& part : set.texts) {
    text += part;
    if (text.size() >= max_bytes) break;
  }
  if (text.size() > max_bytes) {
    std::size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
  }
  return text;
}

}  // namespace toktier::bench
