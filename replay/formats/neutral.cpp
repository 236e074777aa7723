// Our own form, as NeutralWriter writes it.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/neutral_writer.hpp"

#include <fmt/format.h>

#include <set>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.text("schema").starts_with("toktier.trace/");
}

/// Reads the fields of one line; the first that is not as the schema wants makes ok() false.
class Line {
 public:
  Line(Reading& reading, Json value) : reading_(reading), value_(value) {}
  bool ok() const { return ok_; }

  std::string text(std::string_view name, bool needed = false) {
    return text_in(value_, name, name, needed);
  }

  std::string text_in(Json object, std::string_view name, std::string_view field, bool needed) {
    const auto found = member(object, name);
    if (!found) {
      if (needed) fail(field, "", "required field is missing");
      return {};
    }
    std::string_view text;
    if (found->get(text) != simdjson::SUCCESS) fail(field, shown(*found), "a string expected");
    return std::string(text);
  }

  std::optional<std::uint64_t> count_in(Json object, std::string_view name,
                                        std::string_view field) {
    const auto found = member(object, name);
    if (!found) return std::nullopt;
    std::uint64_t count = 0;
    if (found->get(count) != simdjson::SUCCESS)
      fail(field, shown(*found), "a whole number >= 0 expected");
    return count;
  }

  void fail(std::string_view field, std::string_view value, std::string_view message) {
    if (ok_) reading_.problem(field, value, message);
    ok_ = false;
  }

 private:
  Reading& reading_;
  Json value_;
  bool ok_ = true;
};

Part read_part(Line& line, Json value, const std::string& field) {
  Part part;
  const std::string kind = line.text_in(value, "kind", field + ".kind", true);
  const auto known = part_kind_named(kind);
  if (!known) line.fail(field + ".kind", shown_text(kind), "not a known kind of part");
  part.kind = known.value_or(PartKind::other);
  part.text = line.text_in(value, "text", field + ".text", true);
  part.name = line.text_in(value, "name", field + ".name", false);
  part.id = line.text_in(value, "id", field + ".id", false);
  return part;
}

Message read_message(Line& line, Json value, const std::string& field) {
  Message message;
  const std::string role = line.text_in(value, "role", field + ".role", true);
  const auto known = role_named(role);
  if (!known) line.fail(field + ".role", shown_text(role), "not a known role");
  message.role = known.value_or(Role::user);
  message.id = line.text_in(value, "id", field + ".id", false);
  simdjson::dom::array parts;
  const auto list = member(value, "parts");
  if (!list || list->get(parts) != simdjson::SUCCESS) {
    line.fail(field + ".parts", list ? shown(*list) : "", "a list of parts expected");
    return message;
  }
  std::size_t index = 0;
  for (const Json part : parts)
    message.parts.push_back(read_part(line, part, fmt::format("{}.parts[{}]", field, index++)));
  return message;
}

Usage read_our_usage(Line& line, Json value) {
  Usage usage;
  usage.input = line.count_in(value, "input", "usage.input");
  usage.cached = line.count_in(value, "cached", "usage.cached");
  usage.cache_written = line.count_in(value, "cache_written", "usage.cache_written");
  usage.output = line.count_in(value, "output", "usage.output");
  usage.reasoning = line.count_in(value, "reasoning", "usage.reasoning");
  return usage;
}

Round read_round(Line& line, Json value) {
  Round round;
  round.prefix = line.count_in(value, "prefix", "round.prefix").value_or(0);
  round.append = line.count_in(value, "append", "round.append").value_or(0);
  round.output = line.count_in(value, "output", "round.output").value_or(0);
  round.append_chars = line.count_in(value, "append_chars", "round.append_chars");
  round.wait_ms = number_at(value, "wait_ms");
  return round;
}

void read_step(Line& line, Json value, Step& step) {
  const std::string op = line.text("op", true);
  const auto known = op_named(op);
  if (!known) line.fail("op", shown_text(op), "not a known operation");
  step.op = known.value_or(Op::append);
  step.keep = line.count_in(value, "keep", "keep").value_or(0);
  step.line = line.count_in(value, "line", "line").value_or(0);
  step.call = flag_at(value, "call");
  std::int64_t time = 0;
  if (const auto found = member(value, "time_ms")) {
    if (found->get(time) != simdjson::SUCCESS)
      line.fail("time_ms", shown(*found), "a number expected");
    step.time_ms = time;
  }
  if (const auto list = member(value, "messages")) {
    simdjson::dom::array messages;
    if (list->get(messages) != simdjson::SUCCESS)
      line.fail("messages", shown(*list), "a list of messages expected");
    std::size_t index = 0;
    for (const Json message : messages)
      step.messages.push_back(read_message(line, message, fmt::format("messages[{}]", index++)));
  }
  if (const auto usage = member(value, "usage")) step.usage = read_our_usage(line, *usage);
  if (const auto round = member(value, "round")) step.round = read_round(line, *round);
}

class Trace {
 public:
  explicit Trace(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    Line line(reading_, value);
    const std::string schema = line.text("schema", true);
    if (line.ok() && schema != kTraceSchema)
      line.fail("schema", shown_text(schema), fmt::format("{} expected", kTraceSchema));
    const std::string kind = line.text("kind", true);
    const std::string key = line.text("session", true);
    if (line.ok() && kind == "session") {
      session(line, key);
    } else if (line.ok() && kind == "step") {
      Step step;
      read_step(line, value, step);
      if (line.ok() && open_.count(key) == 0)
        line.fail("session", shown_text(key), "names no session that is open");
      if (line.ok()) reading_.step(key, std::move(step));
    } else if (line.ok() && kind == "end") {
      if (open_.erase(key) == 0)
        line.fail("session", shown_text(key), "names no session that is open");
      if (line.ok()) reading_.close(key);
    } else if (line.ok()) {
      reading_.record(std::string(shown_text(kind, 40)), Use::unknown);
      return;
    }
    reading_.record(line.ok() ? kind : "(damaged record)", line.ok() ? Use::text : Use::unknown);
  }

 private:
  void session(Line& line, const std::string& key) {
    Session session;
    session.key = key;
    session.id = line.text("id");
    session.file = line.text("file");
    session.format = line.text("format");
    session.model = line.text("model");
    session.parent = line.text("parent");
    session.series = line.text("series");
    if (line.ok() && !used_.insert(key).second)
      line.fail("session", shown_text(key), "the session begins twice");
    if (!line.ok()) return;
    open_.insert(key);
    reading_.open_recorded(session);
  }

  Reading& reading_;
  std::set<std::string> open_, used_;
};

void read(Input& input, Reading& reading) {
  Trace trace(reading);
  for_each_line(input, reading, [&](Json value) { trace.line(value); });
}

}  // namespace

const Format kNeutral = {"toktier-trace", "our own form (toktier.trace/1)", recognise, read};

}  // namespace toktier::replay::formats
