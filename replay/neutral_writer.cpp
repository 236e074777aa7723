#include "replay/neutral_writer.hpp"

#include "report/json_writer.hpp"

namespace toktier::replay {
namespace {

using report::JsonWriter;

void write_optional(JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) json.field(name, value);
}

template <class T>
void write_optional(JsonWriter& json, std::string_view name, const std::optional<T>& value) {
  if (value) json.field(name, *value);
}

void write_message(JsonWriter& json, const Message& message) {
  json.begin_object().field("role", name_of(message.role));
  write_optional(json, "id", message.id);
  json.key("parts").begin_array();
  for (const Part& part : message.parts) {
    json.begin_object().field("kind", name_of(part.kind)).field("text", part.text);
    write_optional(json, "name", part.name);
    write_optional(json, "id", part.id);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_usage(JsonWriter& json, const Usage& usage) {
  json.key("usage").begin_object();
  write_optional(json, "input", usage.input);
  write_optional(json, "cached", usage.cached);
  write_optional(json, "cache_written", usage.cache_written);
  write_optional(json, "output", usage.output);
  write_optional(json, "reasoning", usage.reasoning);
  json.end_object();
}

void write_round(JsonWriter& json, const Round& round) {
  json.key("round").begin_object().field("prefix", round.prefix);
  json.field("append", round.append).field("output", round.output);
  write_optional(json, "append_chars", round.append_chars);
  write_optional(json, "wait_ms", round.wait_ms);
  json.end_object();
}

}  // namespace

void NeutralWriter::open(const Session& session) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("schema", kTraceSchema).field("kind", "session");
  json.field("session", session.key);
  write_optional(json, "id", session.id);
  write_optional(json, "file", session.file);
  write_optional(json, "format", session.format);
  write_optional(json, "model", session.model);
  write_optional(json, "parent", session.parent);
  write_optional(json, "series", session.series);
  json.end_object();
  write_(line += '\n');
}

void NeutralWriter::step(const std::string& key, Step&& step) {
  Turn& turn = turns_[key];
  for (const Message& message : step.messages) {
    if (!from_model(message) && turn.answered) ++turn.number;
    if (turn.number == 0) turn.number = 1;
    turn.answered = from_model(message);
  }
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("schema", kTraceSchema).field("kind", "step").field("session", key);
  json.field("op", name_of(step.op));
  if (turn.number > 0) json.field("turn", turn.number);
  if (step.op == Op::replace || step.op == Op::rewind) json.field("keep", step.keep);
  if (!step.messages.empty()) {
    json.key("messages").begin_array();
    for (const Message& message : step.messages) write_message(json, message);
    json.end_array();
  }
  write_optional(json, "time_ms", step.time_ms);
  if (step.call) json.field("call", true);
  if (step.usage) write_usage(json, *step.usage);
  if (step.round) write_round(json, *step.round);
  if (step.line > 0) json.field("line", step.line);
  json.end_object();
  write_(line += '\n');
}

void NeutralWriter::close(const std::string& key) {
  std::string line;
  JsonWriter(line)
      .begin_object()
      .field("schema", kTraceSchema)
      .field("kind", "end")
      .field("session", key)
      .end_object();
  turns_.erase(key);
  write_(line += '\n');
}

}  // namespace toktier::replay
