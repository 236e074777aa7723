#include "apps/bench/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace toktier::bench {
namespace {

constexpr std::array<std::string_view, 10> kFlags = {
    "sse4_2",   "avx2",       "bmi2",         "sha_ni", "avx512f",
    "avx512bw", "avx512vbmi", "avx512_vbmi2", "asimd",  "sve"};

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (std::isalnum(static_cast<unsigned char>(c)) != 0) ||
           std::string_view("-_./=,:+").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

Machine machine() {
  Machine facts;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (facts.cpu.empty() && line.starts_with("model name")) facts.cpu = line.substr(colon + 2);
    if (facts.flags.empty() && (line.starts_with("flags") || line.starts_with("Features"))) {
      std::istringstream words(line.substr(colon + 2));
      for (std::string word; words >> word;) {
        if (std::find(kFlags.begin(), kFlags.end(), word) != kFlags.end()) {
          facts.flags += (facts.flags.empty() ? "" : " ") + word;
        }
      }
    }
  }
  facts.processors = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  utsname name{};
  if (::uname(&name) == 0) {
    facts.kernel = std::string(name.sysname) + ' ' + name.release + ' ' + name.machine;
  }
  return facts;
}

std::array<double, 3> load_average() {
  std::array<double, 3> loads{};
  if (::getloadavg(loads.data(), 3) != 3) return {};
  return loads;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string raw{std::istreambuf_iterator<char>(file), {}};
  std::string text;
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t end = std::min(raw.find('\0', at), raw.size());
    std::string word = raw.substr(at, end - at);
    if (at == 0) word = word.substr(word.find_last_of('/') + 1);
    text += (text.empty() ? "" : " ") + shell_word(word);
    at = end + 1;
  }
  return text;
}

}  // namespace toktier::bench
