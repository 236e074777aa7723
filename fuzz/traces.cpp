// Any bytes as a transcript, by content and under every format's name: sessions, problems and
// counts, no crash, no hang, no exception. What was read is written in our own form, and that is
// read back without a problem to the same lines; under every policy it gives steps that can be
// carried out.

#include "replay/neutral_writer.hpp"
#include "replay/read.hpp"
#include "replay/record_counts.hpp"
#include "replay/statistics.hpp"
#include "replay/workload_maker.hpp"
#include "replay/workload_text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

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
  static const std::vector<ChatTemplate> templates = built_in_templates();
  std::size_t next = 0;
  for (const MutationRow& row : mutation_table()) {
    WorkloadText text;  // throws for a step that cannot be
    WorkloadOptions options;
    options.mutation = row.name;
    options.limits.budget = 1 + size % 500;
    WorkloadMaker maker(text, templates[(size + next++) % templates.size()], options);
    TranscriptReader reader(maker, {});
    reader.read_bytes(bytes, "fuzz");
    reader.finish();
    if (text.open_sessions() > 0) std::abort();
  }
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
