#include "diff/external/frame.hpp"

#include "diff/digest.hpp"
#include "report/json_writer.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>

namespace toktier::diff::external {
namespace {

// Flags of an encode request; the low three bits are Parts.
constexpr std::uint32_t kDigestFlag = 8;
constexpr std::uint32_t kAddSpecialFlag = 16;
constexpr std::uint32_t kTruncateFlag = 32;

[[noreturn]] void bad(const std::string& what) {
  throw Error(ErrorCode::unavailable, "reply: " + what, "reference worker");
}

void append_u32(std::string& out, std::size_t value) {
  const auto word = static_cast<std::uint32_t>(value);
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

/// Starts a frame; finish() writes its length.
std::string start(FrameType type) {
  std::string frame;
  append_u32(frame, kMagic);
  append_u32(frame, static_cast<std::size_t>(type));
  append_u32(frame, 0);
  return frame;
}

std::string finish(std::string frame) {
  const std::size_t length = frame.size() - kHeaderBytes;
  if (length > kMaxPayload) {
    throw Error(ErrorCode::input,
                fmt::format("{} bytes in one request, at most {}", length, kMaxPayload),
                "reference worker");
  }
  const auto word = static_cast<std::uint32_t>(length);
  std::memcpy(frame.data() + 8, &word, sizeof word);
  return frame;
}

/// Reads arrays off a payload, never past its end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::string_view take(std::size_t size) {
    if (size > bytes_.size() - at_) {
      bad(fmt::format("ends after {} bytes, {} more expected at byte {}", bytes_.size(), size,
                      at_));
    }
    const std::string_view part = bytes_.substr(at_, size);
    at_ += size;
    return part;
  }
  std::uint32_t word() {
    std::uint32_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> array(std::size_t count) {
    const std::string_view part = take(count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), part.data(), part.size());
    return values;
  }
  void end() const {
    if (at_ != bytes_.size()) bad(fmt::format("{} bytes too many", bytes_.size() - at_));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

AnswerStatus status_of(std::uint32_t word) {
  if (word > static_cast<std::uint32_t>(AnswerStatus::invalid_text)) {
    bad(fmt::format("unknown status {}", word));
  }
  return static_cast<AnswerStatus>(word);
}

template <class T>
void read_errors(Reader& reader, std::vector<T>& results) {
  const std::uint32_t count = reader.word();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t index = reader.word();
    const std::uint32_t size = reader.word();
    const std::string_view text = reader.take(size);
    if (index >= results.size()) bad(fmt::format("error for document {}", index));
    results[index].error = text;
  }
}

void check_count(std::uint32_t found, std::size_t count) {
  if (found != count) bad(fmt::format("answers {} documents, asked {}", found, count));
}

simdjson::dom::element parse_json(simdjson::dom::parser& parser, std::string_view payload) {
  simdjson::dom::element root;
  if (const auto code = parser.parse(payload.data(), payload.size()).get(root); code) {
    bad(fmt::format("not JSON: {}", simdjson::error_message(code)));
  }
  return root;
}

std::string text_field(const simdjson::dom::element& root, std::string_view name) {
  std::string_view text;
  if (root[name].get(text)) bad(fmt::format("no text field {}", name));
  return std::string(text);
}

}  // namespace

Header parse_header(std::string_view bytes) {
  Reader reader(bytes);
  const std::uint32_t magic = reader.word();
  if (magic != kMagic) bad(fmt::format("bad magic 0x{:08x}", magic));
  Header header;
  header.type = reader.word();
  header.length = reader.word();
  if (header.length > kMaxPayload) bad(fmt::format("payload of {} bytes", header.length));
  return header;
}

std::string hello_request(std::string_view engine, std::string_view model, unsigned threads) {
  std::string frame = start(FrameType::hello);
  report::JsonWriter json(frame);
  json.begin_object().field("engine", engine).field("model", model).field("threads", threads);
  json.end_object();
  return finish(std::move(frame));
}

std::string encode_request(std::span<const std::string_view> texts, const Question& question) {
  std::string frame = start(FrameType::encode);
  append_u32(frame, texts.size());
  std::uint32_t flags = question.parts & (kIds | kSpans | kPieces);
  if (question.digest_only) flags |= kDigestFlag;
  if (question.options.add_special) flags |= kAddSpecialFlag;
  if (question.options.truncate) flags |= kTruncateFlag;
  append_u32(frame, flags);
  append_u32(frame, static_cast<std::size_t>(question.options.special));
  for (const std::string_view text : texts) append_u32(frame, text.size());
  for (const std::string_view text : texts) frame += text;
  return finish(std::move(frame));
}

std::string decode_request(std::span<const std::vector<TokenId>> lists) {
  std::string frame = start(FrameType::decode);
  append_u32(frame, lists.size());
  append_u32(frame, 0);
  for (const auto& ids : lists) append_u32(frame, ids.size());
  for (const auto& ids : lists) {
    frame.append(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(TokenId));
  }
  return finish(std::move(frame));
}

std::string bye_request() { return finish(start(FrameType::bye)); }

Hello parse_hello(std::string_view payload) {
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parse_json(parser, payload);
  Hello hello;
  hello.identity.name = text_field(root, "engine");
  hello.identity.version = text_field(root, "version");
  hello.identity.unicode = text_field(root, "unicode");
  hello.identity.kind = text_field(root, "kind");
  hello.sha256 = text_field(root, "sha256");
  hello.side_sha256 = text_field(root, "side_sha256");
  hello.identity.fingerprint = hello.sha256;
  if (!hello.side_sha256.empty()) hello.identity.fingerprint += '+' + hello.side_sha256;
  std::uint64_t end_id = 0;
  if (root["end_id"].get(end_id) || end_id > UINT32_MAX) bad("no number field end_id");
  hello.identity.end_id = static_cast<std::uint32_t>(end_id);
  // A worker that says nothing gives answers of the first meaning.
  std::uint64_t answers = 1;
  const auto field = root["answers"];
  if (field.error() != simdjson::NO_SUCH_FIELD &&
      (field.get(answers) || answers == 0 || answers > UINT32_MAX)) {
    bad("answers is not a number from 1");
  }
  hello.identity.answers = static_cast<std::uint32_t>(answers);
  simdjson::dom::array capabilities;
  if (root["capabilities"].get(capabilities)) bad("no list field capabilities");
  for (const simdjson::dom::element item : capabilities) {
    std::string_view name;
    if (item.get(name)) bad("a capability is not text");
    hello.capabilities.emplace_back(name);
  }
  return hello;
}

void parse_encode(std::string_view payload, std::size_t count, const Question& question,
                  std::vector<Answer>& answers, std::uint64_t* microseconds) {
  Reader reader(payload);
  check_count(reader.word(), count);
  *microseconds += reader.word();
  const auto status = reader.array<std::uint32_t>(count);
  const auto id_counts = reader.array<std::uint32_t>(count);
  const auto piece_counts = reader.array<std::uint32_t>(count);
  answers.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    answers[i].status = status_of(status[i]);
    answers[i].id_count = id_counts[i];
    answers[i].piece_count = piece_counts[i];
  }
  if (question.digest_only) {
    const auto ids = reader.array<std::uint64_t>(count);
    const auto spans = reader.array<std::uint64_t>(count);
    const auto pieces = reader.array<std::uint64_t>(count);
    for (std::size_t i = 0; i < count; ++i) {
      answers[i].id_digest = ids[i];
      answers[i].span_digest = spans[i];
      answers[i].piece_digest = pieces[i];
    }
  } else {
    for (Answer& answer : answers) {
      if (question.parts & kIds) answer.ids = reader.array<TokenId>(answer.id_count);
    }
    for (Answer& answer : answers) {
      if (question.parts & kSpans) answer.spans = reader.array<Span>(answer.id_count);
    }
    for (Answer& answer : answers) {
      if (question.parts & kPieces) answer.pieces = reader.array<Span>(answer.piece_count);
    }
    for (Answer& answer : answers) {
      if (answer.status != AnswerStatus::ok) continue;
      if (question.parts & kIds) answer.id_digest = digest(answer.ids);
      if (question.parts & kSpans) answer.span_digest = digest(answer.spans);
      if (question.parts & kPieces) answer.piece_digest = digest(answer.pieces);
    }
  }
  read_errors(reader, answers);
  reader.end();
}

void parse_decode(std::string_view payload, std::size_t count, std::vector<Decoded>& texts) {
  Reader reader(payload);
  check_count(reader.word(), count);
  const auto status = reader.array<std::uint32_t>(count);
  const auto lengths = reader.array<std::uint32_t>(count);
  texts.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    texts[i].status = status_of(status[i]);
    texts[i].text = reader.take(lengths[i]);
  }
  read_errors(reader, texts);
  reader.end();
}

Error parse_error(std::string_view payload) {
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parse_json(parser, payload);
  const std::string code = text_field(root, "code");
  const ErrorCode kind = code == "unsupported" ? ErrorCode::unsupported
                         : code == "input"     ? ErrorCode::input
                         : code == "usage"     ? ErrorCode::usage
                                               : ErrorCode::unavailable;
  return {kind, text_field(root, "error"), "reference worker"};
}

}  // namespace toktier::diff::external
