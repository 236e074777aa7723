#pragma once
// What a reader of one format works with: its input, and the way to the sink. Internal to this
// room.

#include "io/byte_source.hpp"
#include "replay/json.hpp"
#include "replay/outline.hpp"
#include "replay/sink.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::replay {

struct Input {
  io::ByteSource source;
  std::string file;  ///< as shown to the user
  const Outline& outline;
};

/// One file being read by one format.
class Reading {
 public:
  Reading(Sink& sink, std::string_view format, std::string file)
      : sink_(sink), format_(format), file_(std::move(file)) {}

  /// A session of this file; `id` as recorded. The key is the file's name, with the session's
  /// number behind "#" from the second one on.
  std::string open(std::string_view id, Session session = {});
  /// The same for a session that has its key and origin already. Error{input} when the key is in
  /// use.
  void open_recorded(const Session& session);
  void step(const std::string& key, Step&& step);
  void close(const std::string& key);
  /// Closes what is still open.
  void finish();

  /// The line of the record being read; readers set it, problems and steps take it.
  void at_line(std::uint64_t line) { line_ = line; }
  std::uint64_t line() const { return line_; }

  void record(std::string_view kind, Use use) { sink_.record(format_, kind, use); }
  void problem(std::string_view field, std::string_view value, std::string_view message);
  /// "`found` found, `expected` expected".
  void wrong_type(std::string_view field, Json value, std::string_view expected);

  const std::string& file() const { return file_; }
  std::string_view format() const { return format_; }

 private:
  struct Opened {
    std::string key;
    bool closed = false;
  };
  Sink& sink_;
  std::string_view format_;
  std::string file_;
  std::uint64_t line_ = 0;
  std::vector<Opened> sessions_;
};

enum class Values { objects, any };

/// Calls `use` with each JSON value of a file of JSON lines. Damaged lines, and values that are no
/// objects where these are wanted, become problems, and reading goes on.
void for_each_line(Input& input, Reading& reading, const std::function<void(Json)>& use,
                   Values wanted = Values::objects);
/// The same for the elements of an array at the top, or for values one after the other.
void for_each_value(Input& input, Reading& reading, const std::function<void(Json)>& use);
/// The same for the file as one value.
void with_whole_file(Input& input, Reading& reading, const std::function<void(Json)>& use);

}  // namespace toktier::replay
