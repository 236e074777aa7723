#include "replay/workload_lines.hpp"

#include "io/byte_source.hpp"
#include "replay/json.hpp"
#include "replay/json_values.hpp"
#include "replay/workload_text.hpp"
#include "report/json_writer.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <optional>

namespace toktier::replay {
namespace {

std::optional<WorkOp> op_named_in_work(std::string_view name) {
  for (const WorkOp op : {WorkOp::open, WorkOp::append, WorkOp::edit, WorkOp::replace,
                          WorkOp::rewind, WorkOp::fork, WorkOp::close})
    if (name_of(op) == name) return op;
  return std::nullopt;
}

/// The fields of one record; the first wrong one is thrown.
class Record {
 public:
  Record(Json value, const std::string& where) : value_(value), where_(where) {}

  [[noreturn]] void refuse(std::string_view field, const std::string& why) const {
    throw Error(ErrorCode::input, fmt::format("{}: {}", field, why), where_);
  }
  std::string text(std::string_view name, bool needed) const {
    const auto found = member(value_, name);
    std::string_view text;
    if (!found && needed) refuse(name, "required field is missing");
    if (found && found->get(text) != simdjson::SUCCESS)
      refuse(name, "a string expected, not " + shown(*found));
    return std::string(text);
  }
  std::uint64_t count(std::string_view name) const {
    const auto found = member(value_, name);
    std::uint64_t number = 0;
    if (found && found->get(number) != simdjson::SUCCESS)
      refuse(name, "a whole number >= 0 expected, not " + shown(*found));
    return number;
  }
  std::optional<std::int64_t> number(std::string_view name) const {
    const auto found = member(value_, name);
    if (!found) return std::nullopt;
    std::int64_t number = 0;
    if (found->get(number) != simdjson::SUCCESS)
      refuse(name, "a whole number expected, not " + shown(*found));
    return number;
  }
  bool flag(std::string_view name) const { return flag_at(value_, name); }

 private:
  Json value_;
  const std::string& where_;
};

WorkStep read_step(const Record& record) {
  if (const std::string schema = record.text("schema", true); schema != kWorkloadSchema)
    record.refuse("schema", fmt::format("{} expected, not {}", kWorkloadSchema, schema));
  if (const std::string kind = record.text("kind", true); kind != "step")
    record.refuse("kind", fmt::format("step expected, not {}", kind));
  WorkStep step;
  step.session = record.text("session", true);
  const std::string op = record.text("op", true);
  const auto known = op_named_in_work(op);
  if (!known) record.refuse("op", fmt::format("not a known operation ({})", shown_text(op)));
  step.op = *known;
  step.text = record.text("text", false);
  step.begin = record.count("begin");
  step.end = record.count("end");
  step.from = record.text("from", step.op == WorkOp::fork);
  step.bytes = record.count("bytes");
  step.turn = record.count("turn");
  step.prompt = record.flag("prompt");
  step.time_ms = record.number("time_ms");
  return step;
}

}  // namespace

std::string workload_line(const WorkStep& step) {
  std::string line;
  report::JsonWriter json(line);
  json.begin_object().field("schema", kWorkloadSchema).field("kind", "step");
  json.field("session", step.session).field("op", name_of(step.op)).field("turn", step.turn);
  if (step.op == WorkOp::edit) json.field("begin", step.begin).field("end", step.end);
  if (step.op == WorkOp::rewind || step.op == WorkOp::fork) json.field("begin", step.begin);
  if (!step.from.empty()) json.field("from", step.from);
  if (step.op != WorkOp::close && step.op != WorkOp::rewind) json.field("text", step.text);
  json.field("bytes", step.bytes);
  if (step.prompt) json.field("prompt", true);
  if (step.time_ms) json.field("time_ms", *step.time_ms);
  json.end_object();
  return line;
}

std::uint64_t read_workload(const std::string& path, WorkSink& sink, int stop) {
  JsonValues values(io::ByteSource::open(path, ~std::uint64_t{0}, stop));
  JsonParser parser;
  WorkloadText texts;
  std::uint64_t count = 0;
  for (std::string_view bytes; values.next(bytes);) {
    const std::string where = fmt::format("{}:{}", path, values.line());
    Json value;
    if (!parser.parse(bytes, value)) throw Error(ErrorCode::input, parser.error(), where);
    const WorkStep step = read_step(Record(value, where));
    try {
      texts.step(step);
    } catch (const Error& error) {
      throw Error(ErrorCode::input, error.what(), where);
    }
    sink.step(step);
    ++count;
  }
  return count;
}

}  // namespace toktier::replay
