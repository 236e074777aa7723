#include "io/document_readers.hpp"

#include "io/line_reader.hpp"
#include "io/surrogates.hpp"
#include "toktier/error.hpp"
#include "toktier/types.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

namespace toktier::io {
namespace {

// An escaped text can be six times as long as the text itself; the parser's own limit is 4 GiB.
constexpr std::uint64_t kMaxRecordBytes = (std::uint64_t{1} << 32) - 4096;

class TextReader final : public DocumentReader {
 public:
  TextReader(ByteSource source, std::string name, std::uint64_t first_byte)
      : source_(std::move(source)), name_(std::move(name)), first_byte_(first_byte) {}

  bool next(Document& out) override {
    if (done_) return false;
    done_ = true;
    out.text.clear();
    for (;;) {
      const std::size_t begin = out.text.size();
      const std::size_t step =
          std::clamp<std::size_t>(begin, std::size_t{1} << 16, std::size_t{1} << 26);
      out.text.resize(begin + step);
      const std::size_t got = source_.read(out.text.data() + begin, step);
      out.text.resize(begin + got);
      if (out.text.size() > kMaxDocumentBytes) {
        throw Error(ErrorCode::input,
                    fmt::format("document is longer than {} bytes", kMaxDocumentBytes), name_);
      }
      if (got < step) break;
    }
    if (source_.stopped()) return false;
    out.not_utf8 = false;
    out.id = name_;
    out.source = name_;
    out.line = 0;
    out.lang.clear();
    out.begin = first_byte_;
    out.text_begin = 0;
    return true;
  }

 private:
  ByteSource source_;
  std::string name_;
  std::uint64_t first_byte_;
  bool done_ = false;
};

class LinesReader final : public DocumentReader {
 public:
  LinesReader(ByteSource source, std::string name, const RecordOptions& options)
      : lines_(std::move(source), kMaxDocumentBytes),
        name_(std::move(name)),
        lines_before_(options.first_line - 1),
        first_byte_(options.first_byte) {}

  bool next(Document& out) override {
    std::string_view line;
    if (!lines_.next(line)) return false;
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.text.assign(line);
    out.line = lines_before_ + lines_.number();
    out.id = fmt::format("{}:{}", name_, out.line);
    out.source = name_;
    out.begin = first_byte_ + lines_.offset();
    out.text_begin = 0;
    out.lang.clear();
    out.not_utf8 = false;
    return true;
  }

 private:
  LineReader lines_;
  std::string name_;
  std::uint64_t lines_before_, first_byte_;
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

class JsonLinesReader final : public DocumentReader {
 public:
  JsonLinesReader(ByteSource source, std::string name, RecordOptions options)
      : lines_(std::move(source), kMaxRecordBytes),
        name_(std::move(name)),
        options_(std::move(options)) {}

  bool next(Document& out) override {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (is_blank(line));
    out.not_utf8 = false;
    out.begin = options_.first_byte + lines_.offset();
    out.text_begin = Document::kNowhere;
    simdjson::dom::element record;
    if (!parse(line, record, out.not_utf8)) {
      out.text.clear();
      out.id = fmt::format("{}:{}", name_, number());
      out.source = name_;
      out.line = number();
      out.lang.clear();
      return true;
    }
    std::string_view text;
    simdjson::dom::element value;
    if (record.at_pointer(options_.text_pointer).get(value) != simdjson::SUCCESS) {
      fail(fmt::format("no field {}", options_.text_pointer));
    }
    if (value.get(text) != simdjson::SUCCESS)
      fail(fmt::format("field {} is not a string", options_.text_pointer));
    if (text.size() > kMaxDocumentBytes)
      fail(fmt::format("document is longer than {} bytes", kMaxDocumentBytes));
    out.text.assign(text);
    read_id(record, out.id);
    std::string_view lang;
    out.lang.clear();
    if (!options_.lang_pointer.empty() &&
        record.at_pointer(options_.lang_pointer).get(lang) == simdjson::SUCCESS) {
      out.lang.assign(lang);
    }
    out.source = name_;
    out.line = number();
    return true;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::input, message, fmt::format("{}:{}", name_, number()));
  }

  // False when the line itself is not UTF-8 and such records are wanted, marked, without a text.
  bool parse(std::string_view line, simdjson::dom::element& record, bool& not_utf8) {
    simdjson::error_code error = parser_.parse(line.data(), line.size(), false).get(record);
    // Only a copy of the line is ever changed, and nothing in it but what is ill-formed: a part
    // that is no UTF-8 holds no ASCII byte, so no quote or bracket either, and the escapes keep
    // their length.
    if (error == simdjson::UTF8_ERROR) {
      not_utf8 = options_.ill_formed == IllFormed::mark;
      if (not_utf8) return false;
      if (options_.ill_formed == IllFormed::error) fail("the line is not UTF-8");
      rewritten_ = unicode::replace_invalid_utf8(line);
      error = parse_rewritten(record);
      line = rewritten_;
    }
    if (error == simdjson::STRING_ERROR) {
      if (line.data() != rewritten_.data()) rewritten_.assign(line);
      if (replace_lone_surrogates(rewritten_) > 0) {
        if (options_.ill_formed == IllFormed::error) {
          fail("an escape is half of a surrogate pair, which has no UTF-8 form");
        }
        not_utf8 = options_.ill_formed == IllFormed::mark;
        error = parse_rewritten(record);
      }
    }
    if (error != simdjson::SUCCESS) {
      fail(fmt::format("not a JSON object: {}", simdjson::error_message(error)));
    }
    if (!record.is_object()) fail("not a JSON object");
    return true;
  }

  simdjson::error_code parse_rewritten(simdjson::dom::element& record) {
    rewritten_.reserve(rewritten_.size() + kReadPadding);
    return parser_.parse(rewritten_.data(), rewritten_.size(), false).get(record);
  }

  std::uint64_t number() const { return options_.first_line - 1 + lines_.number(); }

  void read_id(simdjson::dom::element record, std::string& id) const {
    simdjson::dom::element value;
    if (!options_.id_pointer.empty() &&
        record.at_pointer(options_.id_pointer).get(value) == simdjson::SUCCESS &&
        !value.is_null()) {
      std::string_view text;
      if (value.get(text) == simdjson::SUCCESS) {
        id.assign(text);
        return;
      }
      if (value.is_int64() || value.is_uint64()) {
        id = simdjson::minify(value);
        return;
      }
      fail(fmt::format("field {} is neither a string nor an integer", options_.id_pointer));
    }
    id = fmt::format("{}:{}", name_, number());
  }

  LineReader lines_;
  std::string name_;
  RecordOptions options_;
  simdjson::dom::parser parser_;
  std::string rewritten_;
};

void check_pointer(const std::string& pointer, const char* what) {
  bool good = pointer.empty() || pointer[0] == '/';
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '~')
      good = good && i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
  }
  if (!good) {
    throw Error(ErrorCode::usage,
                fmt::format("\"{}\" is not a JSON pointer for the {} field; one looks like /{}",
                            pointer, what, what));
  }
}

// Decides from the first line only, so that the answer does not depend on how much happens to be
// read, and a pipe need not be filled.
bool looks_like_records(ByteSource& source, const RecordOptions& options) {
  const auto first_of = [](std::string_view text) { return text.find_first_not_of(" \t\r\n"); };
  std::string_view start = source.peek_line(4096);
  if (first_of(start) == std::string_view::npos) start = source.peek(4096);
  const std::size_t first = first_of(start);
  if (first == std::string_view::npos || start[first] != '{') return false;
  if (start.find('\n', first) == std::string_view::npos) {
    start = first == 0 ? source.peek_line(std::size_t{1} << 20) : source.peek(std::size_t{1} << 20);
  }
  start.remove_prefix(first);
  const std::size_t end = start.find('\n');
  // A first line beyond the look-ahead: an object with a field on the same line is a record, "{"
  // alone is not.
  if (end == std::string_view::npos && start.size() + first >= (std::size_t{1} << 20)) {
    return start.starts_with("{\"");
  }
  std::string line = unicode::replace_invalid_utf8(start.substr(0, end));
  (void)replace_lone_surrogates(line);
  simdjson::dom::parser parser;
  simdjson::dom::element record;
  simdjson::dom::element text;
  return parser.parse(line).get(record) == simdjson::SUCCESS && record.is_object() &&
         record.at_pointer(options.text_pointer).get(text) == simdjson::SUCCESS && text.is_string();
}

}  // namespace

RecordForm form_of(ByteSource& source, const RecordOptions& options) {
  if (options.form != RecordForm::automatic) return options.form;
  return looks_like_records(source, options) ? RecordForm::jsonl : RecordForm::text;
}

std::unique_ptr<DocumentReader> read_documents(ByteSource source, const std::string& name,
                                               const RecordOptions& options) {
  check_pointer(options.text_pointer, "text");
  check_pointer(options.id_pointer, "id");
  check_pointer(options.lang_pointer, "lang");
  const RecordForm form = form_of(source, options);
  if (form == RecordForm::lines)
    return std::make_unique<LinesReader>(std::move(source), name, options);
  if (form == RecordForm::jsonl) {
    return std::make_unique<JsonLinesReader>(std::move(source), name, options);
  }
  return std::make_unique<TextReader>(std::move(source), name, options.first_byte);
}

}  // namespace toktier::io
