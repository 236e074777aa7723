// Any bytes as a transcript, by content and under every format's name: sessions, problems and
// counts, no crash, no hang, no exception. What was read is written in our own form, and that is
// read back without a problem to the same lines.

#include "replay/neutral_writer.hpp"
#include "replay/read.hpp"
#include "replay/record_counts.hpp"
#include "replay/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace toktier::replay;

std::string lines_of(std::string_view bytes, const std::string& format, bool clean) {
  std::string lines;
  NeutralWriter writer([&lines](std::string_view line) { lines += line; });
  RecordCounts counts(writer);
  ReadOptions options;
  options.format = format;
  TranscriptReader reader(counts, options);
  reader.read_bytes(bytes, "fuzz");
  reader.finish();
  if (clean && counts.problems() > 0) std::abort();
  return lines;
}

/// Without the place in the file, which is another one.
std::string without_lines(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    const std::size_t place = line.rfind(",\"line\":");
    if (place != std::string::npos) line.erase(place);
    out += line + '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string lines = lines_of(bytes, "", false);
  if (!lines.empty() &&
      without_lines(lines_of(lines, "toktier-trace", true)) != without_lines(lines))
    std::abort();
  for (const FormatName& format : format_names()) {
    StatisticsSink statistics;
    ReadOptions options;
    options.format = format.name;
    TranscriptReader reader(statistics, options);
    reader.read_bytes(bytes, "fuzz");
    reader.finish();
    (void)statistics.total();
  }
  return 0;
}
