#include "io/byte_source.hpp"

#include "io/read_all.hpp"
#include "io/testing/scratch.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace toktier;      // NOLINT(google-build-using-namespace)
using namespace toktier::io;  // NOLINT(google-build-using-namespace)
using toktier::io::testing::pack;
using toktier::io::testing::ScratchFolder;

namespace {

std::string make_text(std::size_t size) {
  std::mt19937 random(5);
  std::string out;
  while (out.size() < size) out += std::to_string(random() % 1000) + " words\n";
  out.resize(size);
  return out;
}

std::string drain(ByteSource source, std::size_t step) {
  std::string out;
  std::string buffer(step, '\0');
  const std::uint64_t start = source.offset();
  for (std::size_t n = 1; n > 0;) {
    n = source.read(buffer.data(), step);
    out.append(buffer, 0, n);
    CHECK(source.offset() == start + out.size());
  }
  return out;
}

// The message of the error, or "" when there is none.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::input);
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("plain and packed sources give the same bytes in every step size") {
  const ScratchFolder folder;
  for (const std::size_t size : {0U, 1U, 3U, 4U, 511U, 70000U, 400000U}) {
    const std::string text = make_text(size);
    const std::string half = text.substr(0, size / 2);
    const std::string skippable = std::string("\x50\x2A\x4D\x18\x03\x00\x00\x00", 8) + "abc";
    const std::string frames = pack(half) + skippable + pack(text.substr(size / 2)) + pack("");
    const std::string plain_path = folder.write("plain.zst", text);  // the name must not matter
    const std::string packed_path = folder.write("packed.txt", frames);
    for (const std::size_t step : {1U, 7U, 4096U, 1U << 20}) {
      if (step == 1 && size > 80000) continue;
      CHECK(drain(ByteSource::open(plain_path), step) == text);
      CHECK(drain(ByteSource::open(packed_path), step) == text);
      CHECK(drain(ByteSource::from_memory(frames, "m"), step) == text);
    }
    CHECK(read_all(plain_path) == text);
    CHECK(read_all(packed_path) == text);
    CHECK(unpack(frames, "m") == text);
    CHECK(unpack(frames, "m").capacity() >= size + kReadPadding);
  }
}

TEST_CASE("peek shows what read gives and consumes nothing") {
  const std::string text = make_text(300000);
  ByteSource source = ByteSource::from_memory(text, "m");
  CHECK(source.peek(10).substr(0, 10) == text.substr(0, 10));
  CHECK(source.peek(100000).substr(0, 100000) == text.substr(0, 100000));
  std::string first(5, '\0');
  CHECK(source.read(first.data(), 5) == 5);
  CHECK(first == text.substr(0, 5));
  CHECK(source.peek(20).substr(0, 20) == text.substr(5, 20));
  CHECK(drain(std::move(source), 999) == text.substr(5));
}

TEST_CASE("every cut of a packed file is an error naming an offset, never shorter text") {
  const std::string text = make_text(3000);
  const std::string frames = pack(text.substr(0, 1000)) + pack(text.substr(1000));
  const std::size_t border = pack(text.substr(0, 1000)).size();
  std::size_t errors = 0;
  for (std::size_t cut = 4; cut < frames.size(); ++cut) {
    const std::string part = frames.substr(0, cut);
    const std::string stream =
        error_of([&] { drain(ByteSource::from_memory(part, "cut.zst"), 777); });
    const std::string whole = error_of([&] { (void)unpack(part, "cut.zst"); });
    if (cut == border) {  // one complete frame is a complete file
      CHECK(stream.empty());
      CHECK(whole.empty());
      continue;
    }
    REQUIRE(contains(stream, "cut.zst"));
    REQUIRE(contains(stream, "byte"));
    REQUIRE(contains(whole, "cut.zst"));
    ++errors;
  }
  CHECK(errors == frames.size() - 5);
}

TEST_CASE("damaged bytes and trailing rubbish are errors; limits hold against bombs") {
  const std::string frames = pack(make_text(3000));
  CHECK(contains(error_of([&] { (void)unpack(frames + "rubbish", "f"); }), "not zstd"));
  CHECK(contains(error_of([&] { drain(ByteSource::from_memory(frames + "rubbish", "f"), 64); }),
                 "not zstd"));
  const std::string bomb = pack(std::string(50'000'000, '\0'));
  CHECK(bomb.size() < 10000);
  CHECK(contains(error_of([&] { (void)unpack(bomb, "bomb", 1'000'000); }), "limit of 1000000"));
  CHECK(contains(error_of([&] { drain(ByteSource::from_memory(bomb, "bomb", 1'000'000), 65536); }),
                 "limit of 1000000"));
  CHECK(unpack(bomb, "bomb", 50'000'000).size() == 50'000'000);
  CHECK(contains(error_of([&] { (void)read_all("/nonexistent/file"); }), "No such file"));
  CHECK(contains(error_of([&] { (void)read_all("/"); }), "directory"));
}
