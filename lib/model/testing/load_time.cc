// Where the time of loading goes: best of N runs, in processor time, for unpacking, fingerprint,
// JSON alone, and the whole.
//
//   load_time [N] FILE...

#include "base/sha256.hpp"
#include "io/read_all.hpp"
#include "model/spec.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

// Loading is single-threaded, so the processor time of the process is what a quiet machine would
// show as elapsed time; elapsed time on a shared one measures the neighbours.
double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

template <class F>
double best_ms(int runs, const F& f) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const double start = cpu_ms();
    f();
    best = std::min(best, cpu_ms() - start);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace toktier;  // NOLINT(google-build-using-namespace)
  std::vector<std::string> files(argv + 1, argv + argc);
  int runs = 5;
  if (!files.empty() && files.front().find_first_not_of("0123456789") == std::string::npos) {
    runs = std::max(1, std::atoi(files.front().c_str()));
    files.erase(files.begin());
  }
  fmt::print("{:<44} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "file", "bytes", "unpack", "sha256",
             "json", "rest", "load ms");
  for (const std::string& file : files) {
    const std::string bytes = io::read_all(file);
    const double unpack = best_ms(runs, [&] { (void)io::read_all(file); });
    const double sha = best_ms(runs, [&] { (void)base::sha256_hex(bytes); });
    double json = 0;
    if (bytes.starts_with("{")) {
      json = best_ms(runs, [&] {
        simdjson::dom::parser parser;
        simdjson::dom::element root;
        if (parser.parse(bytes.data(), bytes.size(), false).get(root) != simdjson::SUCCESS)
          std::abort();
      });
    }
    const double all = best_ms(runs, [&] { (void)model::load(file); });
    fmt::print("{:<44} {:>9} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f}\n", file, bytes.size(),
               unpack, sha, json, all - unpack - sha - json, all);
  }
  return 0;
}
