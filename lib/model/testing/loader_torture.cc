// Damages tokenizer files and loads the result: every load must be refused by a toktier::Error or
// give a tokenizer that encodes a text and decodes its ids (or refuses to, by an Error too).
//
//   loader_torture [--cuts N] [--flips N] [--runs N] [--seed S] [--results FILE] FILE...
//
// Cuts end the unpacked bytes at a random place; flips change 1 to 8 random bytes, half of them in
// the first 4 KiB, where the structure of most files is; runs overwrite up to 64 bytes with one.
// Case k of a file derives from (seed, file content, k) alone. Cases run in a child process, so
// that a crash is counted, named and passed by; so is a case that takes longer than
// --hang-seconds (default 600). With --results a line is added for each file that is done, and
// files that have one are passed by: a run that was stopped goes on.

#include "base/hash.hpp"
#include "io/read_all.hpp"
#include "toktier/error.hpp"
#include "toktier/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <poll.h>
#include <random>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

struct Options {
  std::size_t cuts = 70, flips = 70, runs = 60;
  std::uint64_t seed = 1;
  int hang_seconds = 600;
  std::string results;
  std::vector<std::string> files;
  std::size_t cases() const { return cuts + flips + runs; }
};

enum Outcome : unsigned char { works, refuses_text, input, unsupported, wrong, crashes, hangs };
constexpr std::array<const char*, 7> kNames = {"load and encode",
                                               "load and refuse the text",
                                               "refused as input",
                                               "refused as unsupported",
                                               "wrong",
                                               "crashes",
                                               "hangs"};
using Counts = std::array<std::size_t, kNames.size()>;

// Latin, digits, blanks, Han, a mark, a character of four bytes, what names of added tokens use.
constexpr std::string_view kProbe =
    "Hello, world's 1234 <s>[CLS]  \n\t\xE4\xB8\xAD\xE6\x96\x87 e\xCC\x81 \xF0\x9F\x98\x80 <|end|>";

std::string damage(const Options& options, const std::string& plain, std::size_t number) {
  std::mt19937_64 random(toktier::base::hash_bytes(plain, options.seed * 1000003 + number));
  std::string out = plain;
  if (out.empty()) return out;
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  if (number < options.cuts) {
    out.resize(below(out.size()));
  } else if (number < options.cuts + options.flips) {
    for (std::size_t n = 1 + below(8); n > 0; --n) {
      const std::size_t at =
          below(n % 2 == 0 ? out.size() : std::min<std::size_t>(out.size(), 4096));
      out[at] = static_cast<char>(static_cast<unsigned char>(out[at]) ^ (1 + below(255)));
    }
  } else {
    const std::size_t at = below(out.size());
    const std::size_t length = std::min(out.size() - at, 1 + below(64));
    out.replace(at, length, length, static_cast<char>(random() & 0xFF));
  }
  return out;
}

Outcome refusal(const toktier::Error& error, Outcome otherwise) {
  const bool ours =
      error.code() == toktier::ErrorCode::input || error.code() == toktier::ErrorCode::unsupported;
  if (ours && std::string_view(error.what()).size() >= 10) return otherwise;
  fmt::print(stderr, "  error of code {}: {}\n", static_cast<int>(error.code()), error.what());
  return wrong;
}

Outcome run_case(const std::string& bytes) {
  try {
    const auto tokenizer =
        toktier::Tokenizer::load_bytes(bytes, "case", "{\"pat_str\":\"a\",\"special_tokens\":{}}");
    try {
      toktier::EncodeOptions wants;
      wants.want_spans = true;
      const toktier::Encoding encoding = tokenizer.encode(kProbe, wants);
      (void)tokenizer.decode(encoding.ids);
      return works;
    } catch (const toktier::Error& error) {
      return refusal(error, refuses_text);
    }
  } catch (const toktier::Error& error) {
    return refusal(error, error.code() == toktier::ErrorCode::unsupported ? unsupported : input);
  } catch (const std::exception& error) {
    fmt::print(stderr, "  foreign exception: {}\n", error.what());
    return wrong;
  }
}

// In a child process: cases from `first` on, one byte an outcome.
[[noreturn]] void run_cases(const Options& options, const std::string& plain, std::size_t first,
                            int to) {
  for (std::size_t i = first; i < options.cases(); ++i) {
    const unsigned char outcome = run_case(damage(options, plain, i));
    if (write(to, &outcome, 1) != 1) _exit(3);
  }
  _exit(0);
}

// Adds to `counts` until the child ends; returns the first case that is still to do.
std::size_t follow(const Options& options, const std::string& file, std::size_t next, int from,
                   pid_t child, Counts& counts) {
  while (next < options.cases()) {
    pollfd ready{from, POLLIN, 0};
    if (poll(&ready, 1, options.hang_seconds * 1000) == 0) {
      fmt::print("  {}: case {} of seed {} hangs\n", file, next, options.seed);
      ++counts[hangs];
      ++next;
      kill(child, SIGKILL);
      break;
    }
    unsigned char outcome = 0;
    if (read(from, &outcome, 1) != 1) {
      fmt::print("  {}: case {} of seed {} crashes\n", file, next, options.seed);
      ++counts[crashes];
      ++next;
      break;
    }
    if (outcome == wrong) fmt::print("  {}: case {} of seed {}\n", file, next, options.seed);
    ++counts[outcome];
    ++next;
  }
  return next;
}

Counts torture(const Options& options, const std::string& file, const std::string& plain) {
  Counts counts{};
  for (std::size_t next = 0; next < options.cases();) {
    std::array<int, 2> pipes{};
    if (pipe(pipes.data()) != 0) throw std::runtime_error("no pipe");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no child process");
    if (child == 0) {
      close(pipes[0]);
      run_cases(options, plain, next, pipes[1]);
    }
    close(pipes[1]);
    next = follow(options, file, next, pipes[0], child, counts);
    close(pipes[0]);
    waitpid(child, nullptr, 0);
  }
  return counts;
}

std::string summary(const Counts& counts) {
  std::string out;
  for (std::size_t i = 0; i < counts.size(); ++i)
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts[i], kNames[i]);
  return out;
}

Options parse(int argc, char** argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const bool last = i + 1 == argc;
    const auto number = [&] { return last ? 0 : std::strtoull(argv[++i], nullptr, 10); };
    if (arg == "--cuts") {
      out.cuts = number();
    } else if (arg == "--flips") {
      out.flips = number();
    } else if (arg == "--runs") {
      out.runs = number();
    } else if (arg == "--seed") {
      out.seed = number();
    } else if (arg == "--hang-seconds") {
      out.hang_seconds = static_cast<int>(number());
    } else if (arg == "--results") {
      out.results = last ? "" : argv[++i];
    } else if (arg.starts_with("--")) {
      fmt::print(stderr, "loader_torture: unknown option {}\n", arg);
      std::exit(2);
    } else {
      out.files.emplace_back(arg);
    }
  }
  return out;
}

// A line: file, tab, cuts, flips, runs, seed, tab, the counts.
std::string key(const Options& options, const std::string& file) {
  return fmt::format("{}\t{} {} {} {}\t", file, options.cuts, options.flips, options.runs,
                     options.seed);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::vector<std::string> lines;
  std::ifstream earlier(options.results);
  for (std::string line; !options.results.empty() && std::getline(earlier, line);)
    lines.push_back(line);
  Counts total{};
  std::size_t files = 0;
  for (const std::string& file : options.files) {
    Counts counts{};
    const std::string mine = key(options, file);
    const auto is_mine = [&](const std::string& line) { return line.starts_with(mine); };
    const auto done = std::find_if(lines.begin(), lines.end(), is_mine);
    if (done != lines.end()) {
      const char* at = done->c_str() + mine.size();
      for (std::size_t& count : counts) {
        char* end = nullptr;
        count = std::strtoull(at, &end, 10);
        at = end;
      }
    } else {
      counts = torture(options, file, toktier::io::read_all(file));
      if (!options.results.empty()) {
        std::ofstream out(options.results, std::ios::app);
        out << mine << fmt::format("{}\n", fmt::join(counts, " "));
      }
    }
    fmt::print("{}: {}\n", file, summary(counts));
    std::fflush(stdout);
    for (std::size_t i = 0; i < counts.size(); ++i) total[i] += counts[i];
    ++files;
  }
  fmt::print("{} files, {} cases each: {}\n", files, options.cases(), summary(total));
  const bool bad = total[wrong] + total[crashes] + total[hangs] > 0;
  return !bad && files > 0 && options.cases() > 0 ? 0 : 1;
}
