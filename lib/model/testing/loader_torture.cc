// Damages tokenizer files and loads the result: every load must succeed or throw toktier::Error,
// nothing else.
//
//   loader_torture [--cases N] [--seed S] [--max-bytes B] [--seconds T] FILE...
//
// Cases alternate between cutting the unpacked bytes at a random place, flipping random bytes,
// overwriting a run with one byte. Case k of a file derives from (seed, file content, k) alone.
// Files above
// --max-bytes unpacked are counted as skipped. --seconds bounds the whole run; cases not reached
// are counted too.

#include "base/hash.hpp"
#include "io/read_all.hpp"
#include "model/spec.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Options {
  std::size_t cases = 200;
  std::uint64_t seed = 1;
  std::size_t max_bytes = std::size_t{1} << 30;
  double seconds = 1e9;
  std::vector<std::string> files;
};

struct Counts {
  std::size_t loaded = 0;
  std::size_t input = 0;
  std::size_t unsupported = 0;
  std::size_t other = 0;
};

std::string damage(const std::string& plain, std::mt19937_64& random, std::size_t kind) {
  std::string out = plain;
  if (out.empty()) return out;
  const auto place = [&] { return static_cast<std::size_t>(random() % out.size()); };
  if (kind % 4 == 0) {
    out.resize(place());
  } else if (kind % 4 == 3) {
    const std::size_t at = place();
    const std::size_t length = std::min<std::size_t>(out.size() - at, 1 + random() % 64);
    out.replace(at, length, length, static_cast<char>(random() & 0xFF));
  } else {
    // Half of the flips go to the first 4 KiB, where the structure of most files is.
    for (std::size_t n = 1 + random() % 8; n > 0; --n) {
      const std::size_t at =
          n % 2 == 0 ? place()
                     : static_cast<std::size_t>(random() % std::min<std::size_t>(out.size(), 4096));
      out[at] = static_cast<char>(random() & 0xFF);
    }
  }
  return out;
}

void load_one(std::string_view bytes, std::string_view side, Counts& counts) {
  try {
    (void)toktier::model::load_bytes(bytes, "case", side);
    ++counts.loaded;
  } catch (const toktier::Error& error) {
    if (error.code() == toktier::ErrorCode::input) {
      ++counts.input;
    } else if (error.code() == toktier::ErrorCode::unsupported) {
      ++counts.unsupported;
    } else {
      fmt::print("  unexpected error code {}: {}\n", static_cast<int>(error.code()), error.what());
      ++counts.other;
    }
    if (std::string_view(error.what()).size() < 10) ++counts.other;
  } catch (const std::exception& error) {
    fmt::print("  foreign exception: {}\n", error.what());
    ++counts.other;
  }
}

Options parse(int argc, char** argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0.0; };
    if (arg == "--cases") {
      out.cases = static_cast<std::size_t>(value());
    } else if (arg == "--seed") {
      out.seed = static_cast<std::uint64_t>(value());
    } else if (arg == "--max-bytes") {
      out.max_bytes = static_cast<std::size_t>(value());
    } else if (arg == "--seconds") {
      out.seconds = value();
    } else {
      out.files.emplace_back(arg);
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Counts total;
  std::size_t skipped_files = 0;
  std::size_t unreached = 0;
  for (const std::string& file : options.files) {
    const std::string plain = toktier::io::read_all(file);
    if (plain.size() > options.max_bytes) {
      ++skipped_files;
      continue;
    }
    Counts counts;
    std::size_t done = 0;
    for (; done < options.cases && elapsed() < options.seconds; ++done) {
      std::mt19937_64 random(toktier::base::hash_bytes(plain, options.seed * 1000003 + done));
      load_one(damage(plain, random, done), "{\"pat_str\":\"a\",\"special_tokens\":{}}", counts);
    }
    unreached += options.cases - done;
    fmt::print("{:<50} {:>9} bytes  {:>4} cases: {} loaded, {} input, {} unsupported, {} wrong\n",
               file, plain.size(), done, counts.loaded, counts.input, counts.unsupported,
               counts.other);
    std::fflush(stdout);
    total.loaded += counts.loaded;
    total.input += counts.input;
    total.unsupported += counts.unsupported;
    total.other += counts.other;
  }
  fmt::print(
      "total: {} loaded, {} input, {} unsupported, {} wrong; {} files skipped by size, {} cases "
      "not reached\n",
      total.loaded, total.input, total.unsupported, total.other, skipped_files, unreached);
  const std::size_t checked = total.loaded + total.input + total.unsupported;
  return total.other == 0 && checked > 0 ? 0 : 1;
}
