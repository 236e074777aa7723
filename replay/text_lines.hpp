#pragma once
// Lines of transcripts that are plain text: valid UTF-8 whatever stands in the file. Internal.

#include "io/line_reader.hpp"
#include "replay/reading.hpp"

#include <string>
#include <string_view>

namespace toktier::replay {

class TextLines {
 public:
  TextLines(Input& input, Reading& reading);
  /// The next line without '\n'; its '\r' stays. What is not UTF-8 is U+FFFD and counted.
  bool next(std::string_view& line);

 private:
  io::LineReader lines_;
  Reading& reading_;
  std::string repaired_;
};

/// Collects lines of one speaker; `text()` joins them without blank lines at either end.
class Block {
 public:
  void add(std::string_view line) {
    text_ += line;
    text_ += '\n';
  }
  bool blank() const { return text_.find_first_not_of(" \t\r\n") == std::string::npos; }
  /// Takes the text; empty afterwards.
  std::string take();

 private:
  std::string text_;
};

}  // namespace toktier::replay
