#include "apps/common/progress.hpp"

#include "io/output_file.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <unistd.h>

namespace toktier::cli {
namespace {

std::string amount(double value, std::string_view unit) {
  static constexpr const char* kPrefix[] = {"", "k", "M", "G", "T"};
  std::size_t step = 0;
  while (value >= 1000 && step + 1 < std::size(kPrefix)) {
    value /= 1000;
    ++step;
  }
  return fmt::format("{:.{}f} {}{}", value, step == 0 || value >= 100 ? 0 : 1, kPrefix[step], unit);
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds < 0 ? 0 : seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string progress_text(std::string_view what, std::string_view unit, std::uint64_t done,
                          std::uint64_t total, double seconds, std::string_view note) {
  const auto part = static_cast<double>(done);
  const double rate = seconds > 0 ? part / seconds : 0;
  std::string text(what);
  auto out = std::back_inserter(text);
  if (total > 0) {
    const auto whole = static_cast<double>(total);
    fmt::format_to(out, "  {:.0f}% {}/{}", 100.0 * part / whole, amount(part, unit),
                   amount(whole, unit));
  } else {
    fmt::format_to(out, "  {}", amount(part, unit));
  }
  fmt::format_to(out, "  {}/s", amount(rate, unit));
  if (total > done && rate > 0) {
    fmt::format_to(out, "  ETA {}", duration_text(static_cast<double>(total - done) / rate));
  }
  if (!note.empty()) fmt::format_to(out, "  {}", note);
  return text;
}

Progress::Progress(std::string_view mode, bool quiet) {
  if (mode == "auto") {
    mode_ = ::isatty(STDERR_FILENO) ? Mode::bar : Mode::lines;
  } else if (mode == "always") {
    mode_ = Mode::bar;
  } else if (mode.starts_with("file:") && mode.size() > 5) {
    mode_ = Mode::file;
    path_ = mode.substr(5);
  } else if (mode != "never") {
    throw Error(ErrorCode::usage,
                fmt::format("--progress: '{}' (known: auto, always, never, file:PATH)", mode));
  }
  if (quiet && mode_ != Mode::file) mode_ = Mode::never;
}

Progress::~Progress() { clear(); }

void Progress::begin(std::string_view what, std::string_view unit) {
  what_ = what;
  unit_ = unit;
  start_ = last_ = Clock::now();
}

void Progress::update(std::uint64_t done, std::uint64_t total, std::string_view note) {
  if (mode_ == Mode::never) return;
  const auto now = Clock::now();
  const std::chrono::milliseconds pause(mode_ == Mode::bar    ? 200
                                        : mode_ == Mode::file ? 1000
                                                              : 30'000);
  if (now - last_ < pause) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (mode_ == Mode::file) {
    io::OutputFile file(path_);
    file.write(fmt::format("what={}\nunit={}\ndone={}\ntotal={}\nseconds={:.1f}\nnote={}\n", what_,
                           unit_, done, total, seconds, note));
    file.commit();
    return;
  }
  const std::string text = progress_text(what_, unit_, done, total, seconds, note);
  if (mode_ == Mode::lines) {
    fmt::print(stderr, "{}\n", text);
    return;
  }
  const std::size_t padding = shown_ > text.size() ? shown_ - text.size() : 0;
  fmt::print(stderr, "\r{}{}", text, std::string(padding, ' '));
  std::fflush(stderr);
  shown_ = text.size();
}

void Progress::clear() {
  if (shown_ == 0) return;
  fmt::print(stderr, "\r{}\r", std::string(shown_, ' '));
  std::fflush(stderr);
  shown_ = 0;
}

}  // namespace toktier::cli
