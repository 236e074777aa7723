// Codex's requests to the Responses API, as a trace viewer shows them: the first POST is a whole
// body, each later one lists under "input+" what it appends, the model's own answer included.

#include "replay/content.hpp"
#include "replay/formats/codex_items.hpp"
#include "replay/formats/formats.hpp"
#include "replay/times.hpp"

#include <fmt/format.h>

namespace toktier::replay::formats {
namespace {

bool recognise(const Outline& outline) {
  return outline.has("kind") && outline.has("raw") &&
         (outline.has("raw.input") || outline.has("raw.input+") || outline.has("raw.response"));
}

class Wire {
 public:
  explicit Wire(Reading& reading) : reading_(reading) {}

  void line(Json value) {
    time_ = parse_clock(text_at(value, "time"));
    const std::string_view kind = text_at(value, "kind");
    const auto raw = member_value(value, "raw");
    if (!raw || !raw->is_object()) {
      reading_.record(kind.empty() ? "(empty line)" : std::string(kind),
                      kind.empty() ? Use::meta : Use::unknown);
    } else if (kind == "POST") {
      post(*raw);
    } else if (kind == "response.completed") {
      completed(*raw);
    } else {
      reading_.record(std::string(shown_text(kind, 40)), Use::unknown);
    }
  }

  /// The last answer, which no request repeated.
  void finish() {
    if (pending_.empty()) return;
    Step step;
    step.time_ms = time_;
    step.messages = std::move(pending_);
    reading_.step(key_, std::move(step));
  }

 private:
  void post(Json raw) {
    Step step;
    step.time_ms = time_;
    if (const auto added = member_value(raw, "input+")) {
      reading_.record("POST input+", Use::text);
      step.messages = read_codex_items(reading_, *added, "raw.input+", "input/");
      pending_.clear();
      for (const auto [name, field] : simdjson::dom::object(raw)) {
        if (name != "input+" && name != "*reasoning")
          reading_.record(fmt::format("POST {}", name), Use::unknown);
        if (name == "*reasoning") reading_.record("POST *reasoning", Use::meta);
      }
    } else if (const auto input = member_value(raw, "input")) {
      whole_body(raw, *input, step);
    } else {
      reading_.problem("raw", "", "a request without input");
      reading_.record("POST without input", Use::unknown);
      return;
    }
    if (key_.empty()) key_ = reading_.open("");
    reading_.step(key_, std::move(step));
  }

  void whole_body(Json raw, Json input, Step& step) {
    reading_.record("POST whole", Use::text);
    Message system = text_message(Role::system, text_at(raw, "instructions"));
    if (const auto tools = member_value(raw, "tools")) {
      Part part;
      part.kind = PartKind::tools;
      part.text = simdjson::minify(*tools);
      system.parts.push_back(std::move(part));
    }
    step.messages.push_back(std::move(system));
    for (Message& message : read_codex_items(reading_, input, "raw.input", "input/"))
      step.messages.push_back(std::move(message));
    const std::string_view id = text_at(raw, "prompt_cache_key");
    if (!key_.empty() && id == id_) {
      step.op = Op::snapshot;
      pending_.clear();
      return;
    }
    if (!key_.empty()) {
      finish();
      reading_.close(key_);
    }
    Session session;
    session.model = text_at(raw, "model");
    id_ = id;
    key_ = reading_.open(id, session);
  }

  void completed(Json raw) {
    reading_.record("response.completed", Use::meta);
    const auto response = member_value(raw, "response");
    if (!response || key_.empty()) return;
    if (const auto output = member_value(*response, "output")) {
      // The next request counts them; only the last answer of a session is taken from here.
      pending_ = read_codex_items(reading_, *output, "raw.response.output", "output/");
    }
    Step step;
    step.time_ms = time_;
    step.call = true;
    if (const auto usage = member_value(*response, "usage")) step.usage = read_usage(*usage);
    reading_.step(key_, std::move(step));
  }

  Reading& reading_;
  std::string key_, id_;
  std::optional<std::int64_t> time_;
  std::vector<Message> pending_;
};

void read(Input& input, Reading& reading) {
  Wire wire(reading);
  for_each_line(input, reading, [&](Json value) { wire.line(value); });
  wire.finish();
}

}  // namespace

const Format kCodexResponsesWire = {"codex-responses-wire",
                                    "Codex's requests to the Responses API (trace viewer)",
                                    recognise, read};

}  // namespace toktier::replay::formats
