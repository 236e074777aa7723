#include "diff/answer_store.hpp"

#include "base/sha256.hpp"
#include "io/read_all.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace toktier::diff {
namespace {

constexpr std::string_view kFileMagic = "TKANSW1\n";
constexpr std::uint32_t kRecordMagic = 0x52534E41;  // "ANSR"
constexpr std::size_t kEntryBytes = 1 + 4 + 4 + 3 * 8;

/// Fixed part of a record; the body follows, then a checksum of both.
struct RecordHead {
  std::uint32_t magic = kRecordMagic;
  std::uint32_t documents = 0;
  std::uint32_t parts = 0;
  std::uint32_t body_bytes = 0;
  std::uint64_t key_low = 0;
  std::uint64_t key_high = 0;
};
static_assert(sizeof(RecordHead) == 32);

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T get(const char*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

}  // namespace

AnswerStore::AnswerStore(const std::string& folder, const EngineIdentity& engine,
                         const AnswerOptions& options) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code)
    throw Error(ErrorCode::input, fmt::format("cannot make the folder: {}", code.message()),
                folder);
  // The full key is hashed, so that no part of a name can collide; the readable part is for people.
  std::string key = fmt::format("{}\n{}\n{}\n{}\n", engine.fingerprint, engine.name, engine.version,
                                options.text());
  // The first meaning of answers is not in the key: stores are older than this number.
  if (engine.answers > 1) key += fmt::format("answers {}\n", engine.answers);
  path_ =
      (std::filesystem::path(folder) / fmt::format("{}-{}-{}.answers", engine.name, engine.version,
                                                   base::sha256_hex(key).substr(0, 24)))
          .string();
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw Error(ErrorCode::input, std::strerror(errno), path_);
  load();
}

AnswerStore::~AnswerStore() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AnswerStore::load() {
  const off_t size = ::lseek(descriptor_, 0, SEEK_END);
  if (size == 0) {
    if (::write(descriptor_, kFileMagic.data(), kFileMagic.size()) !=
        static_cast<ssize_t>(kFileMagic.size())) {
      ++write_errors_;
    }
    return;
  }
  const std::string bytes = io::read_all(path_);
  std::size_t at = kFileMagic.size();
  if (std::string_view(bytes).substr(0, at) != kFileMagic) {
    ++damaged_;
    at = 0;
  }
  while (at < bytes.size()) {
    RecordHead head;
    const std::size_t left = bytes.size() - at;
    bool good = left >= sizeof head + 8;
    if (good) {
      std::memcpy(&head, bytes.data() + at, sizeof head);
      good = head.magic == kRecordMagic && left - sizeof head - 8 >= head.body_bytes &&
             head.body_bytes == std::uint64_t{head.documents} * kEntryBytes;
    }
    if (good) {
      const std::string_view record(bytes.data() + at, sizeof head + head.body_bytes);
      std::uint64_t checksum = 0;
      std::memcpy(&checksum, record.data() + record.size(), sizeof checksum);
      if (checksum == digest_bytes(record)) {
        records_[{head.key_low, head.key_high}] = {head.parts,
                                                   std::string(record.substr(sizeof head))};
        at += record.size() + 8;
        continue;
      }
    }
    // Not a record: look for the next one behind it.
    ++damaged_;
    std::string magic;
    put(magic, kRecordMagic);
    at = bytes.find(magic, at + 1);
    if (at == std::string::npos) break;
  }
}

bool AnswerStore::find(const Key128& key, std::size_t documents, std::uint32_t parts,
                       std::vector<Answer>& answers) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  if (found == records_.end() || (found->second.parts & parts) != parts) return false;
  const std::string& body = found->second.body;
  if (body.size() != documents * kEntryBytes) return false;
  answers.assign(documents, {});
  const char* at = body.data();
  for (Answer& answer : answers) {
    answer.status = static_cast<AnswerStatus>(get<std::uint8_t>(at));
    answer.id_count = get<std::uint32_t>(at);
    answer.piece_count = get<std::uint32_t>(at);
    answer.id_digest = get<std::uint64_t>(at);
    answer.span_digest = get<std::uint64_t>(at);
    answer.piece_digest = get<std::uint64_t>(at);
  }
  return true;
}

void AnswerStore::add(const Key128& key, std::uint32_t parts, const std::vector<Answer>& answers) {
  RecordHead head;
  head.documents = static_cast<std::uint32_t>(answers.size());
  head.parts = parts;
  head.body_bytes = static_cast<std::uint32_t>(answers.size() * kEntryBytes);
  head.key_low = key.low;
  head.key_high = key.high;
  std::string record(reinterpret_cast<const char*>(&head), sizeof head);
  for (const Answer& answer : answers) {
    if (answer.status == AnswerStatus::died) return;
    put(record, static_cast<std::uint8_t>(answer.status));
    put(record, answer.id_count);
    put(record, answer.piece_count);
    put(record, answer.id_digest);
    put(record, answer.span_digest);
    put(record, answer.piece_digest);
  }
  const std::string body = record.substr(sizeof head);
  put(record, digest_bytes(record));
  const std::lock_guard lock(mutex_);
  records_[key] = {parts, body};
  if (::write(descriptor_, record.data(), record.size()) != static_cast<ssize_t>(record.size()))
    ++write_errors_;
}

std::uint64_t AnswerStore::write_errors() const {
  const std::lock_guard lock(mutex_);
  return write_errors_;
}

}  // namespace toktier::diff
