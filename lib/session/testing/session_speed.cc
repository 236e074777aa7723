// Appends and edits at several sizes of context, timed; every answer is compared with a cold encode
// at the end. Usage: session_speed MODEL TEXT_FILE [CONTEXT_BYTES ...]

#include "toktier/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace toktier;
using Clock = std::chrono::steady_clock;

double micro(Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

double at(std::vector<double>& times, double p) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0
                       : times[static_cast<std::size_t>(p * static_cast<double>(times.size() - 1))];
}

std::size_t border(const std::string& text, std::size_t i) {
  while (i < text.size() && (text[i] & 0xC0) == 0x80) ++i;
  return std::min(i, text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const Tokenizer tokenizer = Tokenizer::load(argv[1]);
  Tokenizer::Scratch scratch(tokenizer);
  std::ifstream file(argv[2], std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  std::string text = source;
  std::vector<std::size_t> contexts;
  for (int i = 3; i < argc; ++i) contexts.push_back(std::stoull(argv[i]));
  if (contexts.empty()) contexts = {64000, 1000000, 4000000, 8000000};
  while (text.size() < contexts.back() + 2000000) text += source;
  for (const std::size_t context : contexts) {
    Session session(tokenizer);
    std::size_t done = border(text, context);
    const auto opening = Clock::now();
    session.append(std::string_view(text).substr(0, done), &scratch);
    const double open_ms = micro(Clock::now() - opening) / 1000;
    const double bytes_a_token =
        static_cast<double>(session.memory()) / static_cast<double>(session.tokens());
    const double text_a_token =
        static_cast<double>(session.bytes()) / static_cast<double>(session.tokens());
    std::vector<double> append, edit, update, fork;
    const SessionStatistics before = session.statistics();
    for (int i = 0; i < 400; ++i) {
      const std::size_t next = border(text, done + 1400);
      const auto begin = Clock::now();
      const Patch patch =
          session.append(std::string_view(text).substr(done, next - done), &scratch);
      append.push_back(micro(Clock::now() - begin));
      done = next;
    }
    const SessionStatistics after = session.statistics();
    const double share = static_cast<double>(after.bytes_encoded - before.bytes_encoded) /
                         static_cast<double>(after.bytes_given - before.bytes_given);
    bool right = session.snapshot() == tokenizer.encode(text.substr(0, done)).ids;
    std::string full = session.text();
    for (int i = 0; i < 100; ++i) {
      const std::size_t a = border(full, (done / 120) * static_cast<std::size_t>(i + 1));
      full.insert(a, "edited text here ");
      const auto begin = Clock::now();
      session.edit(a, a, "edited text here ", &scratch);
      edit.push_back(micro(Clock::now() - begin));
    }
    right &= session.snapshot() == tokenizer.encode(full).ids;
    for (int i = 0; i < 20; ++i) {
      full += " next words";
      auto begin = Clock::now();
      session.update(full, &scratch);
      update.push_back(micro(Clock::now() - begin));
      begin = Clock::now();
      const Session copy = session.fork();
      fork.push_back(micro(Clock::now() - begin));
    }
    right &= session.snapshot() == tokenizer.encode(full).ids;
    fmt::print(
        "context {:8}: open {:7.1f} ms; append 1400: median {:5.1f} p99 {:6.1f} us, {:.2f} bytes "
        "encoded a byte; edit: {:5.1f} us; update: {:6.1f} us; fork {:5.1f} us; {:.2f} B a token "
        "(text {:.2f}); {}\n",
        context, open_ms, at(append, 0.5), at(append, 0.99), share, at(edit, 0.5), at(update, 0.5),
        at(fork, 0.5), bytes_a_token, text_a_token, right ? "ids equal" : "IDS DIFFER");
    if (!right) return 1;
  }
  return 0;
}
