#pragma once
// The progress line on standard error, or key=value lines in a file. Thread-safe is not needed: one
// caller.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::cli {

/// "auto": a bar on a terminal, else a line each 30 s. "always": the bar wherever. "never".
/// "file:PATH": the file is rewritten whole, at most once a second, for other programs to read.
class Progress {
 public:
  /// Error{usage} for another mode.
  Progress(std::string_view mode, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Starts a new line of work.
  void begin(std::string_view what, std::string_view unit);
  /// `total` 0 = not known. `note` is shown at the end ("3 differences").
  void update(std::uint64_t done, std::uint64_t total, std::string_view note);
  /// Clears the bar, so that other output can follow.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Mode { never, bar, lines, file };

  Mode mode_ = Mode::never;
  std::string path_, what_, unit_;
  Clock::time_point start_, last_;
  std::size_t shown_ = 0;  // characters of the bar on the screen
};

/// "1m05s".
std::string duration_text(double seconds);
/// The line itself: "what  45% 1.2 GB/2.7 GB  120 MB/s  ETA 12s  3 differences".
std::string progress_text(std::string_view what, std::string_view unit, std::uint64_t done,
                          std::uint64_t total, double seconds, std::string_view note);

}  // namespace toktier::cli
