// OpenTelemetry spans with the gen_ai attributes: {"spans": [...]} as any-agent writes them, and
// the OTLP/JSON envelope of collectors. A session is a trace; children come before parents, so
// spans are put in the order of their start.

#include "replay/content.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("spans[].attributes") || outline.has("spans[].context") ||
         outline.has("resourceSpans") || outline.has("[].spans[].attributes");
}

/// What a span says, copied out: spans of a file are sorted before they are used.
struct Span {
  std::string trace, name, operation, model, input, output, tool, arguments, call;
  std::uint64_t start = 0;  // in the unit of the file
  bool has_output = false;
  Usage usage;
  std::uint64_t line = 0;
};

/// Attributes are an object, or a list of {key, value: {stringValue | intValue | ...}}.
std::optional<Json> attribute(Json attributes, std::string_view name) {
  simdjson::dom::array list;
  if (attributes.get(list) != simdjson::SUCCESS) return member_value(attributes, name);
  for (const Json pair : list) {
    if (text_at(pair, "key") != name) continue;
    const auto value = member(pair, "value");
    simdjson::dom::object kinds;
    if (!value || value->get(kinds) != simdjson::SUCCESS) return std::nullopt;
    for (const auto [kind, inner] : kinds) return Json(inner);
  }
  return std::nullopt;
}

std::string attribute_text(Json attributes, std::string_view name) {
  const auto found = attribute(attributes, name);
  return found ? text_or_json(*found) : std::string();
}

std::optional<std::uint64_t> attribute_count(Json attributes, std::string_view name) {
  const auto found = attribute(attributes, name);
  std::uint64_t count = 0;
  if (found && found->get(count) == simdjson::SUCCESS) return count;
  return std::nullopt;
}

/// A number, or a string of digits; 0 for anything else.
std::uint64_t whole_number(Json value) {
  std::uint64_t number = 0;
  std::string_view text;
  if (value.get(number) == simdjson::SUCCESS) return number;
  if (value.get(text) == simdjson::SUCCESS)
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Span read_span(Json value) {
  Span span;
  span.name = text_at(value, "name");
  span.trace = text_at(value, "traceId");
  if (const auto context = member_value(value, "context"); context && span.trace.empty()) {
    if (const auto id = member_value(*context, "trace_id")) span.trace = text_or_json(*id);
  }
  for (const std::string_view name : {"start_time", "startTimeUnixNano"})
    if (const auto start = member_value(value, name)) span.start = whole_number(*start);
  const auto attributes = member_value(value, "attributes");
  if (!attributes) return span;
  span.operation = attribute_text(*attributes, "gen_ai.operation.name");
  span.model = attribute_text(*attributes, "gen_ai.request.model");
  span.input = attribute_text(*attributes, "gen_ai.input.messages");
  if (const auto output = attribute(*attributes, "gen_ai.output")) {
    span.output = text_or_json(*output);
    span.has_output = true;
  } else if (const auto messages = attribute(*attributes, "gen_ai.output.messages")) {
    span.output = text_or_json(*messages);
    span.has_output = true;
  }
  span.tool = attribute_text(*attributes, "gen_ai.tool.name");
  span.arguments = attribute_text(*attributes, "gen_ai.tool.args");
  span.call = attribute_text(*attributes, "gen_ai.tool.call.id");
  span.usage.input = attribute_count(*attributes, "gen_ai.usage.input_tokens");
  span.usage.output = attribute_count(*attributes, "gen_ai.usage.output_tokens");
  return span;
}

class Spans {
 public:
  explicit Spans(Reading& reading) : reading_(reading) {}

  void value(Json value) {
    if (const auto spans = member(value, "spans")) {
      add_list(*spans, "spans");
      return;
    }
    simdjson::dom::array resources, scopes;
    const auto outer = member(value, "resourceSpans");
    if (!outer || outer->get(resources) != simdjson::SUCCESS) {
      reading_.record("(record without spans)", Use::unknown);
      return;
    }
    for (const Json resource : resources) {
      const auto inner = member(resource, "scopeSpans");
      if (!inner || inner->get(scopes) != simdjson::SUCCESS) continue;
      for (const Json scope : scopes)
        if (const auto spans = member(scope, "spans")) add_list(*spans, "scopeSpans[].spans");
    }
  }

  void finish() {
    std::stable_sort(spans_.begin(), spans_.end(),
                     [](const Span& a, const Span& b) { return a.start < b.start; });
    for (const Span& span : spans_) use(span);
  }

 private:
  void add_list(Json list, std::string_view field) {
    simdjson::dom::array spans;
    if (list.get(spans) != simdjson::SUCCESS) {
      reading_.wrong_type(field, list, "a list of spans");
      return;
    }
    for (const Json span : spans) {
      if (!span.is_object()) {
        reading_.wrong_type(field, span, "a span");
        continue;
      }
      spans_.push_back(read_span(span));
      spans_.back().line = reading_.line();
    }
  }

  void use(const Span& span) {
    reading_.at_line(span.line);
    const bool model = span.operation == "call_llm" || span.operation == "chat" ||
                       span.operation == "text_completion" || span.operation == "generate_content";
    if (!model && span.operation != "execute_tool") {
      const bool known = span.operation.empty() || span.operation == "invoke_agent" ||
                         span.operation == "create_agent" || span.operation == "embeddings";
      reading_.record(span.operation.empty()
                          ? std::string("span without gen_ai")
                          : fmt::format("span {}", shown_text(span.operation, 40)),
                      known ? Use::meta : Use::unknown);
      return;
    }
    reading_.record(fmt::format("span {}", span.operation), Use::text);
    std::string& key = keys_[span.trace];
    if (key.empty()) {
      Session session;
      session.model = span.model;
      key = reading_.open(span.trace, session);
    }
    const auto time = time_of_number(static_cast<double>(span.start));
    if (!model) {
      Step step;
      step.time_ms = time;
      Message message;
      message.role = Role::tool;
      message.parts.push_back({PartKind::tool_result, span.output, span.tool, span.call});
      step.messages.push_back(std::move(message));
      reading_.step(key, std::move(step));
      return;
    }
    if (!span.input.empty()) add_input(key, span, time);
    Step step;
    step.time_ms = time;
    step.call = true;
    step.usage = span.usage;
    if (span.has_output) step.messages.push_back(answer(span.output));
    reading_.step(key, std::move(step));
  }

  /// The messages of a call: what the context is before its answer.
  void add_input(const std::string& key, const Span& span, std::optional<std::int64_t> time) {
    Json list;
    simdjson::dom::array messages;
    if (!parser_.parse_copy(span.input, list) || list.get(messages) != simdjson::SUCCESS) {
      reading_.problem("gen_ai.input.messages", shown_text(span.input), "no JSON list of messages");
      return;
    }
    Step step;
    step.time_ms = time;
    step.op = begun_[key] ? Op::snapshot : Op::append;
    begun_[key] = true;
    std::size_t index = 0;
    for (const Json value : messages) {
      Message message;
      if (read_chat_message(reading_, value, fmt::format("gen_ai.input.messages[{}]", index++),
                            message))
        step.messages.push_back(std::move(message));
    }
    reading_.step(key, std::move(step));
  }

  /// Text, or a JSON list of {"tool.name", "tool.args"}.
  Message answer(const std::string& output) {
    Message message;
    message.role = Role::assistant;
    Json list;
    simdjson::dom::array calls;
    if (output.starts_with("[{\"tool.name\"") && parser_.parse_copy(output, list) &&
        list.get(calls) == simdjson::SUCCESS) {
      for (const Json call : calls) {
        Part part{PartKind::tool_call, "", std::string(text_at(call, "tool.name")), ""};
        if (const auto args = member_value(call, "tool.args")) part.text = text_or_json(*args);
        message.parts.push_back(std::move(part));
      }
    } else {
      message.parts.push_back(text_part(output));
    }
    return message;
  }

  Reading& reading_;
  JsonParser parser_;
  std::vector<Span> spans_;
  std::map<std::string, std::string> keys_;  // of each trace
  std::map<std::string, bool> begun_;
};

void read(Input& input, Reading& reading) {
  Spans spans(reading);
  for_each_value(input, reading, [&](Json value) { spans.value(value); });
  spans.finish();
}

}  // namespace

const Format kOtelSpans = {"otel-genai-spans", "OpenTelemetry spans with gen_ai attributes",
                           recognise, read};

}  // namespace toktier::replay::formats
