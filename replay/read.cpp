#include "replay/read.hpp"

#include "replay/format_table.hpp"
#include "report/nearest_name.hpp"
#include "toktier/error.hpp"

namespace toktier::replay {
namespace {
constexpr std::size_t kHead = std::size_t{1} << 20;
}

std::vector<FormatName> format_names() {
  std::vector<FormatName> names;
  for (const Format& format : format_table()) names.push_back({format.name, format.what});
  return names;
}

TranscriptReader::TranscriptReader(Sink& sink, const ReadOptions& options)
    : joiner_(sink, options.join), options_(options) {
  if (options.format.empty() || format_named(options.format) != nullptr) return;
  std::vector<std::string> known;
  for (const Format& format : format_table()) known.emplace_back(format.name);
  throw Error(ErrorCode::usage, report::unknown_name("format", options.format, known));
}

TranscriptReader::~TranscriptReader() = default;

template <class Source>
void TranscriptReader::read_source(Source open, const std::string& name) {
  std::string_view format_name;
  try {
    io::ByteSource source = open();
    const Outline outline(source.peek(kHead));
    const Format* format =
        options_.format.empty() ? recognise(outline) : format_named(options_.format);
    if (format == nullptr) {
      joiner_.problem(
          {name, 0, "", shown_text(outline.head()),
           outline.head().empty() ? "the file is empty" : "no format knows this content"});
    } else {
      format_name = format->name;
      Input input{std::move(source), name, outline};
      Reading reading(joiner_, format->name, name);
      try {
        format->read(input, reading);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::input) throw;
        joiner_.problem({name, reading.line(), "", "", error.what()});
      }
      reading.finish();
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input) throw;
    joiner_.problem({name, 0, "", "", error.what()});
  }
  joiner_.file_done(name, format_name);
}

void TranscriptReader::read(const std::string& path) {
  read_source([&] { return io::ByteSource::open(path, ~std::uint64_t{0}, options_.stop); }, path);
}

void TranscriptReader::read_bytes(std::string_view bytes, const std::string& name) {
  read_source([&] { return io::ByteSource::from_memory(bytes, name); }, name);
}

void TranscriptReader::finish() { joiner_.finish(); }

}  // namespace toktier::replay
